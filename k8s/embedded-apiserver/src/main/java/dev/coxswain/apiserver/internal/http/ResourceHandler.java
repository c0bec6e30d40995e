// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.JsonBody;
import dev.coxswain.apiserver.internal.kind.KindRules;
import dev.coxswain.apiserver.internal.operation.DeleteOptions;
import dev.coxswain.apiserver.internal.operation.Deletes;
import dev.coxswain.apiserver.internal.operation.ListQuery;
import dev.coxswain.apiserver.internal.operation.Lists;
import dev.coxswain.apiserver.internal.operation.Outcome;
import dev.coxswain.apiserver.internal.operation.Patches;
import dev.coxswain.apiserver.internal.operation.Target;
import dev.coxswain.apiserver.internal.operation.WriteOptions;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.selector.FieldSelector;
import dev.coxswain.apiserver.internal.selector.LabelSelector;
import dev.coxswain.apiserver.internal.selector.Selection;
import dev.coxswain.apiserver.internal.selector.ShardSelector;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.view.Rendering;
import dev.coxswain.apiserver.internal.view.Tables;
import dev.coxswain.apiserver.internal.webhook.PendingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Requests on resources; confined to the server's event loop. */
final class ResourceHandler {
  private static final Set<String> PATCH_TYPES =
      Set.copyOf(
          Json.words(
              """
              application/json-patch+json application/merge-patch+json
              application/strategic-merge-patch+json application/apply-patch+yaml
              application/apply-patch+cbor
              """));

  private final Backend backend;
  private final SubresourceHandler subresources;
  private final boolean shards;

  /**
   * Creates the handler.
   *
   * @param shards whether shard selectors count
   */
  ResourceHandler(Backend backend, boolean shards) {
    this.backend = backend;
    this.shards = shards;
    this.subresources = new SubresourceHandler(backend, this);
  }

  /** The verb of a request on resources, as roles name it. */
  static String verb(Exchange exchange, RequestPath path) {
    boolean collection = path.name().isEmpty();
    return switch (exchange.method()) {
      case "POST" -> "create";
      case "PUT" -> "update";
      case "PATCH" -> "patch";
      case "DELETE" -> collection ? "deletecollection" : "delete";
      default -> ListQuery.flag(exchange.query("watch")) ? "watch" : collection ? "list" : "get";
    };
  }

  /** Throws a 403 when the user may not do this. */
  void authorize(Exchange exchange, Access.User user, RequestPath path) {
    String verb = verb(exchange, path);
    boolean selects = verb.equals("list") || (verb.equals("watch") && path.name().isEmpty());
    String name = selects ? FieldSelector.exactName(exchange.query("fieldSelector")) : path.name();
    // a namespace is inside itself, which is how a role in it can allow reading it
    String namespace =
        path.namespace().isEmpty() && path.resource().equals("namespaces")
            ? path.name()
            : path.namespace();
    Access.Attributes wanted =
        new Access.Attributes(
            verb, path.group(), path.resource(), path.subresource(), namespace, name, "");
    boolean self =
        path.group().equals("authorization.k8s.io") && path.resource().startsWith("selfsubject");
    if (!self && !path.resource().equals("selfsubjectreviews")) {
      backend.access().require(user, wanted);
    }
  }

  void handle(Exchange exchange, Access.User user, RequestPath path, ServedResource resource) {
    ResourceType type = resource.type();
    String deprecation = resource.version().deprecation();
    if (deprecation != null) {
      exchange.response().putHeader("Warning", "299 - \"" + deprecation + "\"");
    }
    boolean list = path.name().isEmpty() && exchange.method().equals("GET");
    Negotiation.of(
        exchange.header("Accept"), list, type.custom()); // refused before anything is done
    if (!type.stored() || !path.subresource().isEmpty()) {
      subresources.handle(exchange, user, path, resource);
    } else if (type.custom()
        && type.namespaced()
        && path.namespace().isEmpty()
        && !everywhere(exchange, path)) {
      exchange.noSuchPath();
    } else if (path.name().isEmpty()) {
      collection(exchange, path, resource);
    } else {
      item(exchange, user, path, new Target(resource, path.namespace(), path.name(), ""));
    }
  }

  /** All namespaces at once can only be read. */
  private static boolean everywhere(Exchange exchange, RequestPath path) {
    return path.name().isEmpty() && List.of("GET", "HEAD").contains(exchange.method());
  }

  private void collection(Exchange exchange, RequestPath path, ServedResource resource) {
    boolean everywhere = resource.type().namespaced() && path.namespace().isEmpty();
    switch (exchange.method()) {
      case "GET", "HEAD" -> read(exchange, path, resource, "");
      case "POST" -> {
        if (everywhere) {
          throw ApiException.methodNotAllowed();
        }
        create(exchange, path, resource);
      }
      case "DELETE" -> {
        if (everywhere || resource.type().is("", "namespaces")) {
          throw ApiException.methodNotAllowed();
        }
        deleteCollection(exchange, path, resource);
      }
      default -> throw notSupported(exchange, path, resource.type());
    }
  }

  /** Returns the failure for a method that the path does not take. */
  static ApiException notSupported(Exchange exchange, RequestPath path, ResourceType type) {
    if (!type.custom()) {
      return ApiException.methodNotAllowed();
    }
    boolean changes = exchange.method().equals("PUT") || exchange.method().equals("PATCH");
    if (changes && path.name().isEmpty()) {
      return ApiException.badRequest("name must be provided");
    }
    return ApiException.of(
        405,
        "MethodNotAllowed",
        methodVerb(exchange, path)
            + " is not supported on resources of kind \""
            + type.names().qualified()
            + "\"",
        type.names().details(""));
  }

  private static String methodVerb(Exchange exchange, RequestPath path) {
    return List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE").contains(exchange.method())
        ? verb(exchange, path)
        : "";
  }

  private @Nullable String shardSelector(Exchange exchange) {
    return shards ? exchange.query("shardSelector") : null;
  }

  private static Selection selection(
      Exchange exchange,
      RequestPath path,
      ResourceType type,
      String name,
      @Nullable String shardSelector) {
    return new Selection(
        path.namespace(),
        name,
        LabelSelector.parse(exchange.query("labelSelector")),
        FieldSelector.parse(exchange.query("fieldSelector"), type),
        ShardSelector.parse(shardSelector));
  }

  private void read(Exchange exchange, RequestPath path, ServedResource resource, String name) {
    Negotiation negotiation =
        Negotiation.of(exchange.header("Accept"), true, resource.type().custom());
    boolean watch = ListQuery.flag(exchange.query("watch"));
    ListQuery query = ListQuery.parse(exchange::query, watch);
    String shardSelector = shardSelector(exchange);
    Selection selection = selection(exchange, path, resource.type(), name, shardSelector);
    if (watch) {
      backend.lists().checkNotFuture(query.version());
      backend.watches().open(exchange.response(), resource, selection, negotiation.shape(), query);
      return;
    }
    Lists.Page stored = backend.lists().list(resource.type(), selection, query);
    Lists.Page page = stored.with(seen(exchange, resource, stored.items(), true));
    if (negotiation.shape() == Rendering.Shape.TABLE) {
      Tables.Include include = Tables.Include.parse(exchange.query("includeObject"));
      exchange.tree(200, Tables.table(resource, page, include), negotiation);
    } else if (negotiation.yaml()) {
      exchange.tree(
          200,
          Json.parseOwn(
              Exchange.join(backend.rendering().list(resource, page, negotiation.shape()))),
          negotiation);
    } else {
      exchange.pieces(backend.rendering().list(resource, page, negotiation.shape()));
    }
  }

  /** Returns stored objects in the version of the request. */
  private List<StoredObject> seen(
      Exchange exchange, ServedResource resource, List<StoredObject> stored, boolean list) {
    return exchange.admission().conversions().read(resource, stored, backend.store(), list);
  }

  private void create(Exchange exchange, RequestPath path, ServedResource resource) {
    WriteOptions options = options("CreateOptions", exchange);
    JsonBody body = exchange.decode(resource.type().custom());
    StoredObject created;
    try {
      created = backend.creates().create(resource, path.namespace(), body, options);
    } finally {
      exchange.warn(options.warnings()); // a refused object has them, too
    }
    object(exchange, 201, resource, created);
  }

  static WriteOptions options(String kind, Exchange exchange) {
    return WriteOptions.parse(
        kind, exchange::query, exchange.header("User-Agent"), exchange.admission());
  }

  void item(Exchange exchange, Access.User user, RequestPath path, Target at) {
    ServedResource resource = at.resource();
    ResourceType type = resource.type();
    switch (exchange.method()) {
      case "GET", "HEAD" -> {
        if (ListQuery.flag(exchange.query("watch"))) {
          read(exchange, path, resource, path.name());
          return;
        }
        ListQuery.checkVersion(exchange.query("resourceVersion"));
        StoredObject found = backend.store().require(type, path.namespace(), path.name());
        object(exchange, 200, resource, seen(exchange, resource, List.of(found), false).getFirst());
      }
      case "PUT" -> {
        WriteOptions options = options("UpdateOptions", exchange);
        JsonBody body = exchange.decode(type.custom());
        written(exchange, at, () -> backend.updates().replace(at, body, options), options);
      }
      case "PATCH" -> patch(exchange, user, at);
      case "DELETE" -> {
        if (!at.subresource().isEmpty()) {
          throw ApiException.methodNotAllowed();
        }
        delete(exchange, path, resource);
      }
      case "POST" -> { // the real server does not look at the name in the path
        if (!type.custom() || !at.subresource().isEmpty()) {
          throw ApiException.methodNotAllowed();
        }
        create(exchange, path, resource);
      }
      default -> throw notSupported(exchange, path, type);
    }
  }

  private void written(
      Exchange exchange, Target at, Supplier<Outcome> write, WriteOptions options) {
    Outcome outcome;
    try {
      outcome = write.get();
    } finally {
      exchange.warn(options.warnings());
    }
    object(exchange, outcome.created() ? 201 : 200, at.resource(), outcome.object());
  }

  private void patch(Exchange exchange, Access.User user, Target at) {
    boolean custom = at.resource().type().custom();
    String contentType = exchange.contentType();
    if (!custom && !PATCH_TYPES.contains(contentType)) {
      throw ApiException.of(
          415, "UnsupportedMediaType", "415: Unsupported Media Type", Json.object());
    }
    Patches.Kind kind =
        switch (contentType) {
          case "application/json-patch+json" -> Patches.Kind.JSON;
          case "application/merge-patch+json" -> Patches.Kind.MERGE;
          case "application/strategic-merge-patch+json" -> custom ? null : Patches.Kind.STRATEGIC;
          case "application/apply-patch+yaml" -> Patches.Kind.APPLY;
          default -> null;
        };
    if (kind == null) {
      throw ApiException.unsupportedMediaType(
          "application/json-patch+json, application/merge-patch+json, "
              + (custom ? "" : "application/strategic-merge-patch+json, ")
              + "application/apply-patch+yaml");
    }
    WriteOptions options = options("PatchOptions", exchange);
    if (kind == Patches.Kind.APPLY) {
      requireCreate(user, at);
    }
    written(
        exchange,
        at,
        () ->
            kind == Patches.Kind.APPLY
                ? backend.applies().apply(at, exchange.decodeConfiguration(), options)
                : new Outcome(
                    backend.patches().patch(at, kind, exchange.decodePatch(), options), false),
        options);
  }

  /** An apply that creates an object needs the right to create it as well. */
  private void requireCreate(Access.User user, Target at) {
    ResourceType type = at.resource().type();
    boolean missing = backend.store().collection(type).get(at.namespace(), at.name()) == null;
    if (at.subresource().isEmpty() && missing) {
      Access.Attributes wanted =
          new Access.Attributes(
              "create", type.group(), type.plural(), "", at.namespace(), at.name(), "");
      backend.access().require(user, wanted);
    }
  }

  private void delete(Exchange exchange, RequestPath path, ServedResource resource) {
    ResourceType type = resource.type();
    DeleteOptions options = DeleteOptions.parse(exchange.decodeOptional(), exchange::query);
    StoredObject existing = backend.store().require(type, path.namespace(), path.name());
    backend.deletes().admit(resource, existing, options, exchange.admission());
    ObjectNode before = exchange.admission().conversions().tree(resource, existing);
    Deletes.Result result = backend.deletes().delete(type, existing, options);
    if (result.gone() && !KindRules.answersDeleted(type)) {
      ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
      status.putObject("metadata");
      status.put("status", "Success").set("details", type.names().details(path.name()));
      Json.ensure(status, "details").put("uid", result.object().uid());
      exchange.tree(200, status, Negotiation.of(exchange.header("Accept"), false, true));
    } else {
      StoredObject after = result.object();
      if (resource.converted()) {
        before.set("metadata", after.bareTree().get("metadata"));
        after = ObjectStore.preview(backend.store().collection(type), before, after.version());
      }
      object(exchange, 200, resource, after);
    }
  }

  private void deleteCollection(Exchange exchange, RequestPath path, ServedResource resource) {
    ResourceType type = resource.type();
    DeleteOptions options = DeleteOptions.parse(exchange.decodeOptional(), exchange::query);
    Selection selection = selection(exchange, path, type, "", shardSelector(exchange));
    Lists.Page page =
        backend.lists().list(type, selection, ListQuery.parse(exchange::query, false));
    List<StoredObject> seen = seen(exchange, resource, page.items(), true);
    List<Runnable> reviews = new ArrayList<>();
    for (StoredObject object : page.items()) {
      reviews.add(() -> admitOne(exchange, resource, object, options));
    }
    PendingException.gather(reviews);
    for (StoredObject object : page.items()) {
      backend.deletes().admit(resource, object, options, exchange.admission());
      backend.deletes().delete(type, object, options);
    }
    exchange.pieces(backend.rendering().list(resource, page.with(seen), Rendering.Shape.OBJECT));
  }

  /** What webhooks deny ends the deletion when it comes to that object, as in the real server. */
  private void admitOne(
      Exchange exchange, ServedResource resource, StoredObject object, DeleteOptions options) {
    try {
      backend.deletes().admit(resource, object, options, exchange.admission());
    } catch (ApiException e) {
      return; // thrown again after the deletion of those before it
    }
  }

  /** Sends one object in the requested form. */
  void object(Exchange exchange, int status, ServedResource resource, StoredObject object) {
    Negotiation negotiation =
        Negotiation.of(exchange.header("Accept"), false, resource.type().custom());
    switch (negotiation.shape()) {
      case TABLE, ROWS ->
          exchange.tree(
              status,
              Tables.single(
                  resource, object, Tables.Include.parse(exchange.query("includeObject"))),
              negotiation);
      case METADATA -> exchange.json(status, Rendering.metadata(object));
      case OBJECT -> {
        if (negotiation.yaml()) {
          exchange.tree(status, Rendering.tree(resource, object), negotiation);
        } else {
          exchange.json(status, backend.rendering().object(resource, object));
        }
      }
    }
  }
}
