// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.managed.Apply;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.List;

/** Server-side apply; confined to the server's event loop. */
public final class Applies {
  /** Parts of the metadata that identify the object; a write of the status changes no others. */
  private static final List<String> IDENTITY =
      List.of("name", "namespace", "uid", "resourceVersion");

  private final ObjectStore store;
  private final Creates creates;
  private final Updates updates;

  public Applies(ObjectStore store, Creates creates, Updates updates) {
    this.store = store;
    this.creates = creates;
    this.updates = updates;
  }

  /** Creates the object of a configuration, or merges the configuration into it by owner. */
  public Outcome apply(Target at, JsonNode config, WriteOptions options) {
    ServedResource resource = at.resource();
    ResourceType type = at.type();
    if (options.manager().isEmpty()) {
      throw ApiException.invalid(
          new ApiException.Names("meta.k8s.io", "PatchOptions"),
          "",
          new Causes().at("fieldManager").missing("is required for apply patch"));
    }
    ObjectNode object = applied(at, config);
    StoredObject existing = store.collection(type).get(at.namespace(), at.name());
    if (existing == null) {
      if (!at.subresource().isEmpty()) {
        throw ApiException.notFound(type.names(), at.name());
      }
      ObjectNode meta = Json.ensure(object, "metadata");
      if (!Json.text(meta, "uid").isEmpty()) {
        throw ApiException.conflict(
            type.names(),
            at.name(),
            "uid mismatch: the provided object specified uid "
                + Json.text(meta, "uid")
                + ", and no existing object was found");
      }
      meta.remove("resourceVersion");
      Apply.created(resource, object, options.manager(), at.subresource(), options.now(store));
      Decoding.decodePatched(resource, object, List.of(), options);
      return new Outcome(
          creates.createDecoded(resource, at.namespace(), object, options, true), true);
    }
    ObjectNode merged =
        Apply.merged(
            resource,
            options.tree(resource, existing),
            object,
            options.manager(),
            at.subresource(),
            Boolean.TRUE.equals(options.force()),
            options.now(store));
    Decoding.decodePatched(resource, merged, List.of(), options);
    return new Outcome(updates.write(at, existing, merged, options, Updates.Origin.APPLY), false);
  }

  /** Checks an applied configuration and leaves out what this endpoint does not write. */
  private static ObjectNode applied(Target at, JsonNode config) {
    if (!(config instanceof ObjectNode given)) {
      throw ApiException.badRequest(
          "error decoding YAML: the applied configuration must be an object");
    }
    ObjectNode object = given.deepCopy();
    Apply.check(object);
    ServedResource resource = at.resource();
    ResourceType type = at.type();
    if (!Json.text(object, "kind").equals(type.kind())
        || !Json.text(object, "apiVersion").equals(resource.apiVersion())) {
      throw ApiException.badRequest(
          "invalid object type: %s, Kind=%s"
              .formatted(groupVersion(object), Json.text(object, "kind")));
    }
    Updates.checkNames(at, object);
    Decoder decoder = new Decoder(type.kind());
    try {
      decoder.decode(object.deepCopy(), resource.version().schema());
    } catch (Decoder.DecodeException e) {
      throw untyped(at, given, String.valueOf(e.getMessage()));
    }
    if (!decoder.unknown().isEmpty()) {
      throw untyped(
          at, given, "." + decoder.unknown().getFirst() + ": field not declared in schema");
    }
    String ambiguity = Apply.ambiguity(object, resource.version().schema());
    if (ambiguity != null) {
      throw untyped(at, given, ambiguity);
    }
    if (at.subresource().equals("status")) {
      object.retain("apiVersion", "kind", "metadata", "status");
      Json.ensure(object, "metadata").retain(IDENTITY);
    } else if (resource.version().status()) {
      object.remove("status");
    }
    return object;
  }

  private static String groupVersion(ObjectNode object) {
    String version = Json.text(object, "apiVersion");
    return version.indexOf('/') < 0 ? "/" + version : version;
  }

  private static ApiException untyped(Target at, JsonNode given, String why) {
    ServedResource resource = at.resource();
    String kind =
        "%s/%s, Kind=%s"
            .formatted(resource.type().group(), resource.version().name(), resource.type().kind());
    return ApiException.internal(
        "failed to create typed patch object (%s/%s; %s): %s"
            .formatted(Json.text(given.get("metadata"), "namespace"), at.name(), kind, why));
  }
}
