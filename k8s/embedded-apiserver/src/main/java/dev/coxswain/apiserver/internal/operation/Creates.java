// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.admission.AdmissionRequest.Operation;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.JsonBody;
import dev.coxswain.apiserver.internal.kind.EventProjection;
import dev.coxswain.apiserver.internal.kind.EventRules;
import dev.coxswain.apiserver.internal.kind.KindRules;
import dev.coxswain.apiserver.internal.managed.Ownership;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.BuiltinDefaults;
import dev.coxswain.apiserver.internal.schema.Expressions;
import dev.coxswain.apiserver.internal.schema.Schema;
import dev.coxswain.apiserver.internal.schema.Validator;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Creating objects; confined to the server's event loop. */
public final class Creates {
  private static final String SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
  private static final int SUFFIX = 5;
  private static final int MAX_PREFIX = 58;

  /** Metadata that only the server writes. */
  static final List<String> SYSTEM_FIELDS =
      Json.words(
          """
          uid creationTimestamp generation deletionTimestamp deletionGracePeriodSeconds
          selfLink
          """);

  private final ObjectStore store;
  private final ResourceRegistry registry;
  private final SplittableRandom random = new SplittableRandom();

  public Creates(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.registry = registry;
  }

  /** Decodes and creates; {@code namespace} is that of the path. */
  public StoredObject create(
      ServedResource resource, String namespace, JsonBody body, WriteOptions options) {
    checkServed(resource.type());
    ObjectNode object = Decoding.decode(resource, body, options);
    return createDecoded(resource, namespace, object, options, false);
  }

  /** While the objects of a definition are deleted, none may be created. */
  private void checkServed(ResourceType type) {
    ResourceType definitions = registry.type("apiextensions.k8s.io", "customresourcedefinitions");
    if (!type.custom() || definitions == null) {
      return;
    }
    StoredObject definition =
        store.collection(definitions).get("", type.plural() + "." + type.group());
    if (definition != null
        && Json.texts(definition.bareTree().path("metadata").path("finalizers"))
            .contains(Deletes.CLEANUP)) {
      throw ApiException.of(
          405,
          "MethodNotAllowed",
          "create not allowed while custom resource definition is terminating",
          Json.object().put("group", type.group()).put("kind", type.plural()));
    }
  }

  /**
   * Creates an object that is decoded; {@code applied} when server-side apply has recorded its
   * owners.
   */
  StoredObject createDecoded(
      ServedResource resource,
      String namespace,
      ObjectNode decoded,
      WriteOptions options,
      boolean applied) {
    ResourceType type = resource.type();
    ObjectNode object = type.newEvents() ? EventProjection.toCore(decoded) : decoded;
    ObjectNode meta = Json.ensure(object, "metadata");
    namespace(type, meta, namespace);
    String version = Json.text(meta, "resourceVersion");
    if (!version.isEmpty() && !version.equals("0")) {
      throw ApiException.internal("resourceVersion should not be set on objects to be created");
    }
    if (!applied) {
      meta.remove("managedFields");
    }
    JsonNode generation = meta.get("generation");
    meta.remove(SYSTEM_FIELDS);
    if (generation != null && generation.asLong() != 0 && !type.generation() && !type.custom()) {
      meta.set("generation", generation); // the real server keeps what these kinds do not use
    }
    meta.remove("resourceVersion");
    admit(type, meta, namespace);
    if (resource.version().status()) {
      object.remove("status");
    }
    KindRules rules = KindRules.of(type);
    rules.defaults(object);
    BuiltinDefaults.fill(object, resource.version().schema());
    if (!applied) {
      Ownership.created(resource, object, options.owner(), options.now(store));
    }
    ObjectNode admitted = check(resource, namespace, meta, options, applied).mutate(object, null);
    if (admitted != null) {
      object = mutated(resource, namespace, meta, admitted);
      meta = Json.ensure(object, "metadata");
    }
    identify(type, meta, options);
    rules.prepare(object);
    rules.defaults(object);
    complete(resource, object);
    if (type.custom()) {
      Decoding.checkType(resource, object);
    }
    validate(resource, null, object, MetaRules.validate(type, object));
    check(resource, namespace, meta, options, applied).validate(object, null);
    ObjectCollection collection = store.collection(type);
    String name = Json.text(meta, "name");
    StoredObject existing = collection.get(namespace, name);
    if (existing != null) {
      throw ApiException.alreadyExists(type.names(), name, existing.deleting());
    }
    if (options.dryRun()) {
      return ObjectStore.preview(collection, object, store.version());
    }
    return options.store(
        resource, collection, object, stored -> store.put(collection, null, stored));
  }

  private static AdmissionCheck check(
      ServedResource resource,
      String namespace,
      ObjectNode meta,
      WriteOptions options,
      boolean applied) {
    Target at = new Target(resource, namespace, Json.text(meta, "name"), "");
    return new AdmissionCheck(
        at, Operation.CREATE, applied ? "PatchOptions" : "CreateOptions", options);
  }

  /** Takes over an object from webhooks, but not what only the server writes. */
  private static ObjectNode mutated(
      ServedResource resource, String namespace, ObjectNode before, ObjectNode object) {
    ObjectNode meta = Json.ensure(object, "metadata");
    meta.remove(SYSTEM_FIELDS);
    meta.remove("resourceVersion");
    Json.carry(before, meta, "managedFields");
    namespace(resource.type(), meta, namespace);
    if (resource.version().status()) {
      object.remove("status");
    }
    return object;
  }

  /** Sets what makes the object the one that it is. */
  private void identify(ResourceType type, ObjectNode meta, WriteOptions options) {
    String prefix = Json.text(meta, "generateName");
    if (Json.text(meta, "name").isEmpty() && !prefix.isEmpty()) {
      meta.put("name", options.admission().once("name", () -> generateName(prefix)));
    }
    meta.put("uid", options.admission().once("uid", () -> UUID.randomUUID().toString()));
    meta.put("creationTimestamp", options.now(store));
    if (type.generation() || type.custom()) {
      meta.put("generation", 1);
    }
  }

  /** Adds what the real server prints of every object of this kind. */
  private static void complete(ServedResource resource, ObjectNode object) {
    if (!resource.type().is("apiextensions.k8s.io", "customresourcedefinitions")) {
      BuiltinDefaults.sections(object, resource.version().schema());
      BuiltinDefaults.fill(object, resource.version().schema());
    }
  }

  /**
   * Throws for faults of an object.
   *
   * @param old the present state; null for a new object
   * @param causes the faults of its metadata
   */
  static void validate(
      ServedResource resource, @Nullable ObjectNode old, ObjectNode object, Causes causes) {
    ResourceType type = resource.type();
    if (type.custom()) {
      Schema schema = resource.version().schema();
      causes.addAll(Validator.validate(old, object, schema));
      ResourceType.Scale scale = resource.version().scale();
      if (scale != null) {
        Scales.check(scale, object, causes);
      }
      causes.addAll(Expressions.validate(old, object, schema, causes));
    }
    KindRules.of(type).validate(old, causes.of(object));
    if (type.newEvents()) {
      EventRules.validateNew(old, causes.of(object));
    }
    ObjectNode named = old == null ? object : old;
    causes.throwIfAny(type.kindNames(), Json.text(named.get("metadata"), "name"));
  }

  /** Sets the namespace of the path in an object without one; another namespace is a 400. */
  static void namespace(ResourceType type, ObjectNode meta, String namespace) {
    String given = Json.text(meta, "namespace");
    if (!type.namespaced()) {
      meta.remove("namespace");
    } else if (given.isEmpty()) {
      meta.put("namespace", namespace);
    } else if (!given.equals(namespace)) {
      throw ApiException.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
  }

  /** The namespace must exist and not be terminating. */
  private void admit(ResourceType type, ObjectNode meta, String namespace) {
    if (!type.namespaced()) {
      return;
    }
    ResourceType namespaces =
        Objects.requireNonNull(registry.type("", "namespaces"), "namespaces are built in");
    StoredObject found = store.collection(namespaces).get("", namespace);
    if (found == null) {
      throw ApiException.notFound(namespaces.names(), namespace);
    }
    if (found.deleting()) {
      String name = Json.text(meta, "name");
      ObjectNode details = type.names().details(name);
      details
          .putArray("causes")
          .addObject()
          .put("reason", "NamespaceTerminating")
          .put("message", "namespace " + namespace + " is being terminated")
          .put("field", "metadata.namespace");
      throw ApiException.of(
          403,
          "Forbidden",
          "%s \"%s\" is forbidden: unable to create new content in namespace %s because it is being terminated"
              .formatted(type.names().qualified(), name, namespace),
          details);
    }
  }

  private String generateName(String prefix) {
    StringBuilder name =
        new StringBuilder(prefix.length() > MAX_PREFIX ? prefix.substring(0, MAX_PREFIX) : prefix);
    for (int i = 0; i < SUFFIX; i++) {
      name.append(SUFFIX_LETTERS.charAt(random.nextInt(SUFFIX_LETTERS.length())));
    }
    return name.toString();
  }
}
