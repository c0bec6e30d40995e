// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.JsonBody;
import dev.coxswain.apiserver.internal.kind.EventProjection;
import dev.coxswain.apiserver.internal.patch.JsonPatch;
import dev.coxswain.apiserver.internal.patch.MergePatch;
import dev.coxswain.apiserver.internal.patch.StrategicMerge;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.List;

/** Patching objects; confined to the server's event loop. */
public final class Patches {
  /** The kinds of patch a client may send. */
  public enum Kind {
    JSON,
    MERGE,
    STRATEGIC,
    APPLY
  }

  private final ObjectStore store;
  private final Updates updates;

  public Patches(ObjectStore store, Updates updates) {
    this.store = store;
    this.updates = updates;
  }

  /** Applies a patch to an object or its status. */
  public StoredObject patch(Target at, Kind kind, JsonBody body, WriteOptions options) {
    JsonNode patch = body.tree();
    if (options.force() != null) {
      throw ApiException.invalid(
          new ApiException.Names("meta.k8s.io", "PatchOptions"),
          "",
          new Causes().at("force").forbidden("may not be specified for non-apply patch"));
    }
    ServedResource resource = at.resource();
    StoredObject existing = store.require(at.type(), at.namespace(), at.name());
    ObjectNode before = options.tree(resource, existing);
    ObjectNode object = at.type().newEvents() ? EventProjection.toNew(before) : before;
    ObjectNode patched = patched(resource, object, kind, patch);
    String where = kind == Kind.JSON ? "json patch duplicate field \"" : "duplicate field \"";
    List<String> duplicates = body.duplicates().stream().map(path -> where + path + "\"").toList();
    Decoding.decodePatched(resource, patched, duplicates, options);
    checkIdentity(resource, patched);
    Updates.checkNames(at, patched);
    String version = Json.text(patch.path("metadata"), "resourceVersion");
    if (kind != Kind.JSON && !version.isEmpty()) {
      Json.ensure(patched, "metadata").put("resourceVersion", version);
    }
    return updates.write(at, existing, patched, options, Updates.Origin.PATCH);
  }

  private static ObjectNode patched(
      ServedResource resource, ObjectNode object, Kind kind, JsonNode patch) {
    if (kind == Kind.JSON) {
      return JsonPatch.apply(object, patch);
    }
    if (patch.isNull()) {
      throw ApiException.badRequest("Invalid JSON Patch");
    }
    if (!(patch instanceof ObjectNode map)) {
      throw ApiException.badRequest(
          (kind == Kind.MERGE ? "error decoding patch: " : "")
              + "json: cannot unmarshal "
              + Json.goType(patch)
              + " into Go value of type map[string]interface {}");
    }
    if (kind == Kind.MERGE) {
      MergePatch.apply(object, map);
    } else {
      StrategicMerge.apply(object, map, resource.version().schema());
    }
    return object;
  }

  private static void checkIdentity(ServedResource resource, ObjectNode patched) {
    if (resource.type().custom()) {
      return; // checked with the rest of the object
    }
    String kind = Json.text(patched, "kind");
    String version = Json.text(patched, "apiVersion");
    boolean other = !kind.equals(resource.type().kind()) || !version.equals(resource.apiVersion());
    if (other && !patched.isEmpty()) {
      throw Decoding.rejected(
          patched,
          "no kind \"%s\" is registered for version \"%s\" for this resource"
              .formatted(kind, version));
    }
  }
}
