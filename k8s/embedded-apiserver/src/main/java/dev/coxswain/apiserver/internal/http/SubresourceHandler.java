// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.access.Reviews;
import dev.coxswain.apiserver.internal.access.TokenRequests;
import dev.coxswain.apiserver.internal.admission.AdmissionRequest;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.operation.DeleteOptions;
import dev.coxswain.apiserver.internal.operation.Patches;
import dev.coxswain.apiserver.internal.operation.Scales;
import dev.coxswain.apiserver.internal.operation.Target;
import dev.coxswain.apiserver.internal.operation.Updates;
import dev.coxswain.apiserver.internal.operation.WriteOptions;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Subresources, and resources that are never stored; confined to the server's event loop. */
final class SubresourceHandler {
  /** Subresources that only make sense where pods run. */
  private static final Set<String> NEED_CONTAINERS =
      Set.copyOf(
          Json.words(
              """
              pods/attach pods/ephemeralcontainers pods/exec pods/log pods/portforward pods/proxy
              pods/resize nodes/proxy services/proxy
              """));

  private final Backend backend;
  private final ResourceHandler items;
  private final Reviews reviews;
  private final Scales scales;
  private final TokenRequests tokens;

  SubresourceHandler(Backend backend, ResourceHandler items) {
    this.backend = backend;
    this.items = items;
    this.reviews = new Reviews(backend.access());
    this.scales = new Scales(backend.updates());
    this.tokens = new TokenRequests(backend.access().accounts());
  }

  void handle(Exchange exchange, Access.User user, RequestPath path, ServedResource resource) {
    ResourceType type = resource.type();
    if (!type.stored()) {
      if (!path.name().isEmpty()) {
        throw ApiException.noSuchResource();
      }
      if (!exchange.method().equals("POST")) {
        throw ApiException.methodNotAllowed();
      }
      ObjectNode answer =
          reviews.answer(user, type, path.namespace(), exchange.decode(false).tree());
      exchange.tree(201, answer, Negotiation.of(exchange.header("Accept"), false, false));
      return;
    }
    ResourceType.Scale scale = resource.version().scale();
    boolean named = path.subresource().equals("status") || path.subresource().equals("scale");
    if (type.custom() && named && !Set.of("GET", "PUT", "PATCH").contains(exchange.method())) {
      boolean served =
          path.subresource().equals("status") ? resource.version().status() : scale != null;
      if (served) {
        throw ResourceHandler.notSupported(exchange, path, type);
      }
    }
    if (path.subresource().equals("status") && resource.version().status()) {
      items.item(
          exchange, user, path, new Target(resource, path.namespace(), path.name(), "status"));
    } else if (path.subresource().equals("scale") && scale != null) {
      scale(exchange, path, resource, scale);
    } else if (path.subresource().equals("finalize") && type.is("", "namespaces")) {
      if (!exchange.method().equals("PUT")) {
        throw ApiException.methodNotAllowed();
      }
      items.item(
          exchange, user, path, new Target(resource, path.namespace(), path.name(), "finalize"));
    } else if (path.subresource().equals("eviction") && type.is("", "pods")) {
      evict(exchange, path, type);
    } else if (path.subresource().equals("token") && type.is("", "serviceaccounts")) {
      token(exchange, path, type);
    } else if (NEED_CONTAINERS.contains(type.plural() + "/" + first(path.subresource()))) {
      throw ApiException.of(
          501,
          "NotImplemented",
          "%s/%s is not served: the embedded API server runs no containers"
              .formatted(type.plural(), first(path.subresource())),
          Json.object());
    } else if (type.custom()) { // as if the object were not there, whether it is or not
      throw ApiException.notFound(type.names(), path.name());
    } else {
      throw ApiException.noSuchResource();
    }
  }

  private static String first(String subresource) {
    int slash = subresource.indexOf('/');
    return slash < 0 ? subresource : subresource.substring(0, slash);
  }

  private void scale(
      Exchange exchange, RequestPath path, ServedResource resource, ResourceType.Scale scale) {
    if (!Set.of("GET", "PUT", "PATCH").contains(exchange.method())) {
      throw ApiException.methodNotAllowed();
    }
    ObjectNode replacement = Json.object();
    if (exchange.method().equals("PUT")
        && exchange.decode(resource.type().custom()).tree() instanceof ObjectNode given) {
      replacement = given;
      StoredObject existing =
          backend.store().collection(resource.type()).get(path.namespace(), path.name());
      Updates.checkUid(
          new Target(resource, path.namespace(), path.name(), "scale"),
          Json.text(given.get("metadata"), "uid"),
          existing == null ? "" : existing.uid());
    }
    StoredObject found = backend.store().require(resource.type(), path.namespace(), path.name());
    Negotiation negotiation = Negotiation.of(exchange.header("Accept"), false, true);
    ObjectNode tree = exchange.admission().conversions().tree(resource, found);
    switch (exchange.method()) {
      case "GET" -> exchange.tree(200, scales.read(scale, tree), negotiation);
      case "PUT" -> {
        WriteOptions options = ResourceHandler.options("UpdateOptions", exchange);
        exchange.tree(200, scales.write(resource, scale, found, replacement, options), negotiation);
      }
      case "PATCH" -> {
        WriteOptions options = ResourceHandler.options("PatchOptions", exchange);
        Patches.Kind kind =
            exchange.contentType().equals("application/json-patch+json")
                ? Patches.Kind.JSON
                : Patches.Kind.MERGE;
        ObjectNode body =
            Scales.patched(scales.read(scale, tree), kind, exchange.decodePatch().tree());
        exchange.tree(200, scales.write(resource, scale, found, body, options), negotiation);
      }
      default -> throw ApiException.methodNotAllowed();
    }
  }

  private void token(Exchange exchange, RequestPath path, ResourceType accounts) {
    if (!exchange.method().equals("POST")) {
      throw ApiException.methodNotAllowed();
    }
    StoredObject account = backend.store().require(accounts, path.namespace(), path.name());
    ObjectNode answer = tokens.answer(account, exchange.decode(false).tree());
    exchange.tree(201, answer, Negotiation.of(exchange.header("Accept"), false, false));
  }

  private static void admit(
      Exchange exchange,
      RequestPath path,
      ServedResource pods,
      ObjectNode eviction,
      boolean dryRun) {
    AdmissionRequest request =
        new AdmissionRequest(
            new AdmissionRequest.Place(pods, path.namespace(), path.name(), "eviction"),
            AdmissionRequest.Operation.CREATE,
            eviction,
            null,
            dryRun,
            Json.object().put("kind", "CreateOptions").put("apiVersion", "meta.k8s.io/v1"),
            UnaryOperator.identity());
    ObjectNode mutated = exchange.admission().mutate(request);
    exchange.admission().validate(mutated == null ? request : request.with(mutated));
  }

  private void evict(Exchange exchange, RequestPath path, ResourceType pods) {
    if (!exchange.method().equals("POST")) {
      throw ApiException.methodNotAllowed();
    }
    ObjectNode eviction = Json.object();
    if (exchange.decodeOptional() instanceof ObjectNode given) {
      eviction = given;
    }
    if (!Json.text(eviction.get("metadata"), "name").equals(path.name())) {
      throw ApiException.badRequest("name in URL does not match name in Eviction object");
    }
    StoredObject pod = backend.store().require(pods, path.namespace(), path.name());
    DeleteOptions options =
        Evictions.options(eviction, ResourceHandler.options("CreateOptions", exchange).dryRun());
    admit(
        exchange,
        path,
        new ServedResource(pods, pods.versions().getFirst()),
        eviction,
        options.dryRun());
    Evictions.evict(backend, pods, pod, options);
    ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
    status.putObject("metadata");
    exchange.tree(201, status.put("status", "Success").put("code", 201), Negotiation.JSON);
  }
}
