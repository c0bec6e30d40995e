// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.operation.DeleteOptions;
import dev.coxswain.apiserver.internal.operation.Deletes;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.schema.Defaults;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.watch.WatchHub;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Serves what definitions describe, and cleans up behind deleted ones; confined to the server's
 * event loop.
 */
final class DefinitionController {
  static final String STORAGE = "apiextensions.k8s.io/customresourcedefinitions";
  private static final String FINALIZER = Deletes.CLEANUP;

  private final ResourceRegistry registry;
  private final ObjectStore store;
  private final Deletes deletes;
  private final WatchHub watches;
  private final StorageMigration migration;
  private final Map<String, JsonNode> specsSeen = new HashMap<>();

  DefinitionController(
      ResourceRegistry registry,
      ObjectStore store,
      Deletes deletes,
      WatchHub watches,
      StorageMigration migration) {
    this.migration = migration;
    this.registry = registry;
    this.store = store;
    this.deletes = deletes;
    this.watches = watches;
  }

  private ResourceType definitions() {
    return Objects.requireNonNull(
        registry.type("apiextensions.k8s.io", "customresourcedefinitions"));
  }

  /** Updates the registry from a definition. */
  void sync(String name) {
    ObjectCollection collection = store.collection(definitions());
    StoredObject stored = collection.get("", name);
    if (stored == null) {
      specsSeen.remove(name);
      int dot = name.indexOf('.');
      withdraw(registry.type(name.substring(dot + 1), name.substring(0, Math.max(dot, 0))));
      reconsider(name); // it has freed its names
      return;
    }
    ObjectNode definition = stored.bareTree();
    ResourceType type = Definitions.type(definition);
    if (stored.deleting()) {
      cleanUp(collection, stored, definition, type);
      return;
    }
    ResourceType taken = registry.type(type.group(), type.plural());
    if (taken != null && !taken.custom()) {
      return;
    }
    ObjectNode before = definition.deepCopy();
    boolean served = accept(definition, type);
    if (served) {
      JsonNode spec = definition.path("spec");
      JsonNode previous = specsSeen.put(name, spec.deepCopy());
      if (taken == null || !spec.equals(previous)) {
        ResourceType between = migration.begin(taken, type);
        registry.put(between == null ? type : between);
        store.collection(type);
        JsonNode versions = spec.path("versions");
        boolean changed = previous == null || !versions.equals(previous.path("versions"));
        if (taken != null && changed && between == null) {
          refresh(type, versions);
        }
      }
      establish(definition);
    }
    if (!before.equals(definition)) {
      store.put(collection, stored, definition);
      if (!before.path("status").path("acceptedNames").equals(Definitions.accepted(definition))) {
        reconsider(name);
      }
    }
  }

  /**
   * Converts objects to the form in which the schema of the stored version reads them: without unknown fields, with defaults.
   */
  private void refresh(ResourceType type, JsonNode versions) {
    ObjectCollection collection = store.collection(type);
    for (JsonNode version : versions) {
      ResourceType.Version served = type.version(Json.text(version, "name"));
      if (!version.path("storage").asBoolean() || served == null) {
        continue;
      }
      for (StoredObject object : List.copyOf(collection.range("").values())) {
        ObjectNode tree = object.bareTree();
        new Decoder(type.kind()).decode(tree, served.schema());
        Defaults.apply(tree, served.schema());
        if (!tree.equals(object.bareTree())) {
          collection.refresh(object, tree);
        }
      }
    }
  }

  /** Converts all custom objects to the form of their definitions, after a restart. */
  void refreshAll() {
    for (StoredObject definition : store.collection(definitions()).range("").values()) {
      ObjectNode tree = definition.bareTree();
      ResourceType type =
          registry.type(Definitions.type(tree).group(), Definitions.type(tree).plural());
      if (type != null && type.custom()) {
        refresh(type, tree.path("spec").path("versions"));
      }
    }
  }

  /** Serves what a definition describes, if it was served when it was written. */
  void serve(ObjectNode definition) {
    for (JsonNode condition : definition.path("status").path("conditions")) {
      if (Json.text(condition, "type").equals("Established")
          && Json.text(condition, "status").equals("True")) {
        ResourceType type = Definitions.type(definition);
        registry.put(type);
        store.collection(type);
      }
    }
  }

  /** Checks definitions again whose name was taken and may be free now. */
  private void reconsider(String except) {
    String group = except.substring(except.indexOf('.') + 1);
    for (StoredObject other : List.copyOf(store.collection(definitions()).range("").values())) {
      boolean waits = !registered(other);
      if (waits && !other.name().equals(except) && other.name().endsWith("." + group)) {
        sync(other.name());
      }
    }
  }

  private boolean registered(StoredObject definition) {
    int dot = definition.name().indexOf('.');
    return registry.type(definition.name().substring(dot + 1), definition.name().substring(0, dot))
        != null;
  }

  /** Takes the names that are free; true when the definition is (still) to be served. */
  private boolean accept(ObjectNode definition, ResourceType type) {
    NameClaims claims = new NameClaims();
    for (StoredObject other : store.collection(definitions()).range("").values()) {
      ObjectNode tree = other.bareTree();
      boolean itself = other.name().equals(type.plural() + "." + type.group());
      if (!itself && Json.text(tree.get("spec"), "group").equals(type.group())) {
        claims.add(Definitions.accepted(tree));
      }
    }
    NameClaims.Verdict verdict =
        claims.claim(definition.path("spec").path("names"), Definitions.accepted(definition));
    ObjectNode status = Json.ensure(definition, "status");
    status.set("acceptedNames", verdict.accepted());
    condition(
        status,
        "NamesAccepted",
        verdict.conflict().isEmpty() ? "True" : "False",
        verdict.conflict().isEmpty() ? "NoConflicts" : verdict.conflict(),
        verdict.message());
    if (verdict.conflict().isEmpty()) {
      return true;
    }
    boolean established = registry.type(type.group(), type.plural()) != null;
    if (!established) {
      condition(status, "Established", "False", "NotAccepted", "not all names are accepted");
    }
    return established;
  }

  private void establish(ObjectNode definition) {
    ObjectNode status = Json.ensure(definition, "status");
    condition(
        status,
        "Established",
        "True",
        "InitialNamesAccepted",
        "the initial names have been accepted");
    ArrayNode storedVersions = Json.ensureArray(status, "storedVersions");
    for (JsonNode version : definition.path("spec").path("versions")) {
      String name = Json.text(version, "name");
      if (version.path("storage").asBoolean()
          && storedVersions.valueStream().noneMatch(v -> v.asText().equals(name))) {
        storedVersions.add(name);
      }
    }
  }

  private void condition(
      ObjectNode status, String type, String value, String reason, String message) {
    ArrayNode conditions = Json.ensureArray(status, "conditions");
    ObjectNode found = null;
    for (JsonNode condition : conditions) {
      if (condition instanceof ObjectNode object && Json.text(object, "type").equals(type)) {
        found = object;
      }
    }
    if (found == null) {
      found = conditions.addObject().put("type", type);
    }
    if (!Json.text(found, "status").equals(value)) {
      found.put("status", value).put("lastTransitionTime", store.times().now());
    }
    found.put("reason", reason).put("message", message);
  }

  /** Serves a custom resource no longer; what is left of its objects goes with it. */
  private void withdraw(@Nullable ResourceType type) {
    if (type != null && type.custom()) {
      registry.remove(type.group(), type.plural());
      watches.closeAll(type.storage());
      store.drop(type.storage());
    }
  }

  /** Deletes the objects, and the definition after the last of them. */
  private void cleanUp(
      ObjectCollection collection, StoredObject stored, ObjectNode definition, ResourceType type) {
    ResourceType served = registry.type(type.group(), type.plural());
    boolean ours = served != null && served.custom();
    if (ours) {
      for (StoredObject object : List.copyOf(store.collection(type).range("").values())) {
        if (!object.deleting()) {
          deletes.delete(type, object, DeleteOptions.BACKGROUND);
        }
      }
      if (store.collection(type).size() > 0) {
        ObjectNode before = definition.deepCopy();
        condition(
            Json.ensure(definition, "status"),
            "Terminating",
            "True",
            "InstanceDeletionInProgress",
            "CustomResource deletion is in progress");
        if (!before.equals(definition)) {
          store.put(collection, stored, definition);
        }
        return; // something holds them; the next deletion brings us back
      }
    }
    ArrayNode left = Json.array();
    definition
        .path("metadata")
        .path("finalizers")
        .forEach(f -> {
          if (!f.asText().equals(FINALIZER)) {
            left.add(f);
          }
        });
    if (left.isEmpty()) {
      if (ours) {
        withdraw(served);
      }
      store.delete(collection, stored);
    } else if (left.size() != definition.path("metadata").path("finalizers").size()) {
      // held by a finalizer of a client: served as before
      condition(
          Json.ensure(definition, "status"),
          "Terminating",
          "False",
          "InstanceDeletionCompleted",
          "removed all instances");
      Json.ensure(definition, "metadata").set("finalizers", left);
      store.put(collection, stored, definition);
    }
  }
}
