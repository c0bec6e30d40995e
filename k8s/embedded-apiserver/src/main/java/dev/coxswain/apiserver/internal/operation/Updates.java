// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.admission.AdmissionRequest.Operation;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.JsonBody;
import dev.coxswain.apiserver.internal.kind.EventProjection;
import dev.coxswain.apiserver.internal.kind.KindRules;
import dev.coxswain.apiserver.internal.managed.Ownership;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.BuiltinDefaults;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Replacing objects, whole or by subresource; confined to the server's event loop. */
public final class Updates {
  /** The origin of the new state; the rules differ in details. */
  enum Origin {
    PUT,
    PATCH,
    APPLY
  }

  /** Built-in resources whose updates must have a resourceVersion. */
  private static final Set<String> NEED_VERSION =
      Set.copyOf(
          Json.words(
              """
              admissionregistration.k8s.io/mutatingwebhookconfigurations
              admissionregistration.k8s.io/validatingwebhookconfigurations
              apiextensions.k8s.io/customresourcedefinitions coordination.k8s.io/leases
              policy/poddisruptionbudgets
              """));

  /** Built-in resources that an update creates when they are missing. */
  private static final Set<String> CREATED_BY_UPDATE =
      Set.copyOf(
          Json.words(
              """
              /endpoints /events /limitranges /podtemplates /services coordination.k8s.io/leases
              rbac.authorization.k8s.io/clusterrolebindings rbac.authorization.k8s.io/clusterroles
              rbac.authorization.k8s.io/rolebindings rbac.authorization.k8s.io/roles
              """));

  /** Built-in resources whose keys in the storage are not their plural. */
  private static final Map<String, String> STORED_AS =
      Map.of(
          "/replicationcontrollers", "controllers",
          "/endpoints", "services/endpoints",
          "/nodes", "minions",
          "/services", "services/specs",
          "networking.k8s.io/ingresses", "ingress",
          "apiextensions.k8s.io/customresourcedefinitions",
              "apiextensions.k8s.io/customresourcedefinitions");

  private final ObjectStore store;
  private final Creates creates;

  public Updates(ObjectStore store, Creates creates) {
    this.store = store;
    this.creates = creates;
  }

  /** Decodes and replaces, or creates where the resource allows it. */
  public Outcome replace(Target at, JsonBody body, WriteOptions options) {
    ObjectNode object = Decoding.decode(at.resource(), body, options);
    checkNames(at, object);
    ResourceType type = at.type();
    StoredObject existing = store.collection(type).get(at.namespace(), at.name());
    if (existing == null) {
      checkUid(at, Json.text(Json.ensure(object, "metadata"), "uid"), "");
      if (!at.subresource().isEmpty() || !CREATED_BY_UPDATE.contains(type.storage())) {
        throw ApiException.notFound(type.names(), at.name());
      }
      Json.ensure(object, "metadata").remove("resourceVersion");
      return new Outcome(
          creates.createDecoded(at.resource(), at.namespace(), object, options, false), true);
    }
    return new Outcome(write(at, existing, object, options, Origin.PUT), false);
  }

  /** The name and namespace of an object must be those of the path. */
  static void checkNames(Target at, ObjectNode object) {
    ObjectNode meta = Json.ensure(object, "metadata");
    String given = Json.text(meta, "name");
    if (given.isEmpty()) {
      throw ApiException.badRequest(
          "the name of the object (%s based on URL) was undeterminable: name must be provided"
              .formatted(at.name()));
    }
    if (!given.equals(at.name())) {
      throw ApiException.badRequest(
          "the name of the object (%s) does not match the name on the URL (%s)"
              .formatted(given, at.name()));
    }
    Creates.namespace(at.type(), meta, at.namespace());
  }

  /** Writes a decoded new state over {@code existing}. */
  StoredObject write(
      Target at, StoredObject existing, ObjectNode decoded, WriteOptions options, Origin origin) {
    ServedResource resource = at.resource();
    String subresource = at.subresource();
    ResourceType type = at.type();
    ObjectNode object = type.newEvents() ? EventProjection.toCore(decoded) : decoded;
    ObjectNode typed = object.deepCopy();
    object.remove(List.of("kind", "apiVersion"));
    ObjectNode old = options.tree(resource, existing);
    old.remove(List.of("kind", "apiVersion"));
    ObjectNode meta = Json.ensure(object, "metadata");
    ObjectNode given = meta.deepCopy();
    if (origin == Origin.PUT) {
      checkUid(at, Json.text(given, "uid"), existing.uid());
    }
    checkVersion(type, existing, meta, origin);
    ObjectNode next = settled(resource, old, object, subresource);
    ObjectNode oldMeta = Json.ensure(old, "metadata");
    if (origin == Origin.APPLY) {
      // whichever half of the object was applied
      Json.carry(meta, Json.ensure(next, "metadata"), "managedFields");
    } else {
      Ownership.settle(oldMeta, Json.ensure(next, "metadata"));
      Ownership.updated(resource, old, next, options.owner(), subresource, options.now(store));
    }
    AdmissionCheck check =
        new AdmissionCheck(
            at, Operation.UPDATE, origin == Origin.PUT ? "UpdateOptions" : "PatchOptions", options);
    ObjectNode admitted = check.mutate(next, old);
    if (admitted != null) {
      ObjectNode owners = Json.ensure(next, "metadata");
      next = settled(resource, old, admitted, subresource);
      Json.carry(owners, Json.ensure(next, "metadata"), "managedFields");
    }
    ObjectNode nextMeta = Json.ensure(next, "metadata");
    if (specChanged(resource, old, next)) {
      nextMeta.put("generation", oldMeta.path("generation").asInt() + 1);
    }
    if (type.custom()) {
      Decoding.checkType(resource, typed);
    }
    Causes causes =
        MetaRules.validateUpdate(type, old, next, given, KindRules.checksAllMetadata(type));
    Creates.validate(resource, old, next, causes);
    nextMeta.put("resourceVersion", Long.toString(existing.version()));
    check.validate(next, old);
    return commit(resource, existing, old, next, options);
  }

  /** Returns the new state with all that does not come from the client. */
  private static ObjectNode settled(
      ServedResource resource, ObjectNode old, ObjectNode object, String subresource) {
    ObjectNode next = combine(resource, old, object, subresource);
    ObjectNode nextMeta = Json.ensure(next, "metadata");
    ObjectNode oldMeta = Json.ensure(old, "metadata");
    Creates.SYSTEM_FIELDS.forEach(field -> Json.carry(oldMeta, nextMeta, field));
    KindRules rules = KindRules.of(resource.type());
    if (subresource.isEmpty()) {
      rules.merge(old, next);
    }
    rules.defaults(next);
    BuiltinDefaults.fill(next, resource.version().schema());
    return next;
  }

  private StoredObject commit(
      ServedResource resource,
      StoredObject existing,
      ObjectNode old,
      ObjectNode next,
      WriteOptions options) {
    ObjectCollection collection = store.collection(resource.type());
    if (next.equals(old)) {
      return resource.converted()
          ? ObjectStore.preview(collection, old, existing.version())
          : existing;
    }
    if (existing.deleting() && Deletes.finished(next)) {
      StoredObject last = ObjectStore.preview(collection, next, existing.version());
      if (!options.dryRun()) {
        store.delete(collection, existing);
      }
      return last;
    }
    return options.dryRun()
        ? ObjectStore.preview(collection, next, existing.version())
        : options.store(
            resource, collection, next, stored -> store.put(collection, existing, stored));
  }

  /**
   * A uid in the new state is a precondition, and comes before all others: an object that has been
   * deleted is not created again by an update of it, whatever its kind.
   *
   * @param uid the uid of the stored object, empty without one
   */
  public static void checkUid(Target at, String given, String uid) {
    if (given.isEmpty() || given.equals(uid)) {
      return;
    }
    ResourceType type = at.type();
    String resource =
        type.custom() ? type.storage() : STORED_AS.getOrDefault(type.storage(), type.plural());
    String key = at.namespace().isEmpty() ? at.name() : at.namespace() + "/" + at.name();
    throw ApiException.conflict(
        type.names(),
        at.name(),
        ("StorageError: invalid object, Code: 4, Key: /registry/%s/%s, ResourceVersion: 0, "
                + "AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s")
            .formatted(resource, key, given, uid));
  }

  private static void checkVersion(
      ResourceType type, StoredObject existing, ObjectNode meta, Origin origin) {
    String given = Json.text(meta, "resourceVersion");
    if (given.isEmpty() || given.equals("0")) {
      boolean needed = type.custom() || NEED_VERSION.contains(type.storage());
      if (needed && origin == Origin.PUT) {
        throw ApiException.invalid(
            type.names(),
            existing.name(),
            new Causes()
                .at("metadata.resourceVersion")
                .invalid("0", "must be specified for an update"));
      }
    } else {
      long version;
      try {
        version = Long.parseUnsignedLong(given);
      } catch (NumberFormatException e) {
        throw ApiException.internal("strconv.ParseUint: parsing \"" + given + "\": invalid syntax");
      }
      if (version != existing.version()) {
        throw ApiException.modified(type.names(), existing.name());
      }
    }
  }

  /** Each endpoint writes its half of the object. */
  private static ObjectNode combine(
      ServedResource resource, ObjectNode old, ObjectNode object, String subresource) {
    if (!subresource.isEmpty()) {
      ObjectNode next = old.deepCopy();
      Json.carry(object, next, subresource.equals("status") ? "status" : "spec");
      metadata(resource.type(), object, next);
      return next;
    }
    if (resource.version().status()) {
      Json.carry(old, object, "status");
    }
    return object;
  }

  /**
   * Built-in kinds take most of the metadata along with a status; definitions and custom ones do
   * not.
   */
  private static void metadata(ResourceType type, ObjectNode object, ObjectNode next) {
    if (type.custom() || type.group().equals("apiextensions.k8s.io")) {
      return;
    }
    ObjectNode from = Json.ensure(object, "metadata");
    ObjectNode to = Json.ensure(next, "metadata");
    for (String field : List.of("labels", "annotations", "ownerReferences", "finalizers")) {
      boolean kept =
          (field.equals("labels") && type.is("apps", "deployments"))
              || (field.equals("ownerReferences") && type.is("", "pods"));
      if (!kept) {
        Json.carry(from, to, field);
      }
    }
  }

  private static boolean specChanged(ServedResource resource, ObjectNode old, ObjectNode next) {
    ResourceType type = resource.type();
    if (!type.generation() && !type.custom()) {
      return false;
    }
    boolean ignoreStatus = resource.version().status() || !type.custom();
    return !essence(old, ignoreStatus).equals(essence(next, ignoreStatus));
  }

  private static ObjectNode essence(ObjectNode object, boolean ignoreStatus) {
    ObjectNode essence = Json.object();
    for (Map.Entry<String, JsonNode> e : object.properties()) {
      if (!e.getKey().equals("metadata") && !(ignoreStatus && e.getKey().equals("status"))) {
        essence.set(e.getKey(), e.getValue());
      }
    }
    return essence;
  }
}
