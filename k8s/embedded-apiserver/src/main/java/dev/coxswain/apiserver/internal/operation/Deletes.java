// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.admission.Admission;
import dev.coxswain.apiserver.internal.admission.AdmissionRequest;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Deleting objects; confined to the server's event loop. */
public final class Deletes {
  private static final String FOREGROUND = "foregroundDeletion";
  private static final String ORPHAN = "orphan";
  private static final Set<String> IMMORTAL = Set.of("default", "kube-system", "kube-public");

  private final ObjectStore store;

  public Deletes(ObjectStore store) {
    this.store = store;
  }

  /** Holds a definition that is being deleted until its objects are gone. */
  public static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

  /**
   * The result of a delete; immutable.
   *
   * @param object the object, still there when {@code gone} is false
   * @param gone whether it has been removed
   */
  public record Result(StoredObject object, boolean gone) {}

  /** True when nothing holds an object any more that is being deleted. */
  static boolean finished(ObjectNode object) {
    return object.path("metadata").path("finalizers").isEmpty()
        && object.path("metadata").path("deletionGracePeriodSeconds").asLong() == 0
        && (!object.path("spec").path("finalizers").isArray()
            || object.path("spec").path("finalizers").isEmpty());
  }

  /** Has webhooks check the deletion of an object. */
  public void admit(
      ServedResource resource, StoredObject existing, DeleteOptions options, Admission admission) {
    Target at = new Target(resource, existing.namespace(), existing.name(), "");
    ObjectNode node =
        Json.object().put("kind", "DeleteOptions").put("apiVersion", "meta.k8s.io/v1");
    if (options.dryRun()) {
      node.putArray("dryRun").add("All");
    }
    node.put("propagationPolicy", options.propagation());
    AdmissionRequest request =
        new AdmissionRequest(
            AdmissionCheck.place(at),
            AdmissionRequest.Operation.DELETE,
            null,
            admission.conversions().tree(resource, existing),
            options.dryRun(),
            node,
            UnaryOperator.identity());
    if (admission.mutate(request) != null) {
      throw new IllegalStateException("a deletion has been given a new object");
    }
    admission.validate(request);
  }

  /** Deletes an object, or marks it as being deleted when something holds it. */
  public Result delete(ResourceType type, String namespace, String name, DeleteOptions options) {
    return delete(type, store.require(type, namespace, name), options);
  }

  /** Deletes an existing object. */
  public Result delete(ResourceType type, StoredObject existing, DeleteOptions options) {
    if (type.is("", "namespaces") && IMMORTAL.contains(existing.name())) {
      throw ApiException.forbidden(
          type.names(), existing.name(), "this namespace may not be deleted");
    }
    checkPreconditions(type, existing, options);
    ObjectNode object = existing.bareTree();
    ObjectNode meta = Json.ensure(object, "metadata");
    boolean special =
        type.is("", "namespaces") || type.is("apiextensions.k8s.io", "customresourcedefinitions");
    long grace = type.is("", "pods") ? podGrace(object, options) : 0;
    if (!special) {
      propagation(meta, options.propagation());
    }
    boolean held = special || grace > 0 || !meta.path("finalizers").isEmpty();
    if (special && existing.deleting()) {
      return new Result(existing, false);
    }
    mark(type, existing, object, meta, grace, special);
    ObjectCollection collection = store.collection(type);
    if (!held) {
      return new Result(remove(type, collection, existing, object, options), true);
    }
    if (object.equals(existing.bareTree())) {
      return new Result(existing, false);
    }
    return new Result(
        options.dryRun()
            ? ObjectStore.preview(collection, object, existing.version())
            : store.put(collection, existing, object),
        false);
  }

  private StoredObject remove(
      ResourceType type,
      ObjectCollection collection,
      StoredObject existing,
      ObjectNode object,
      DeleteOptions options) {
    if (options.dryRun()) {
      return existing;
    }
    if (type.is("", "pods") && !existing.deleting()) {
      // a pod is marked before it goes, which watchers see as the last state
      StoredObject last = store.delete(collection, existing);
      return ObjectStore.preview(collection, object, last.version());
    }
    StoredObject last = store.delete(collection, existing);
    return type.is("", "pods") ? ObjectStore.preview(collection, object, last.version()) : last;
  }

  private void mark(
      ResourceType type,
      StoredObject existing,
      ObjectNode object,
      ObjectNode meta,
      long grace,
      boolean special) {
    if (!existing.deleting()) {
      meta.put("deletionTimestamp", store.times().plusSeconds(grace));
      if (special) {
        if (type.is("", "namespaces")) {
          Json.ensure(object, "status").put("phase", "Terminating");
        } else {
          ArrayNode finalizers = Json.ensureArray(meta, "finalizers");
          if (finalizers.valueStream().noneMatch(f -> f.asText().equals(CLEANUP))) {
            finalizers.add(CLEANUP);
          }
        }
        return;
      }
      if (meta.path("generation").asInt() > 0) {
        meta.put("generation", meta.path("generation").asInt() + 1);
      }
      meta.put("deletionGracePeriodSeconds", (int) grace);
    } else if (grace < meta.path("deletionGracePeriodSeconds").asLong()) {
      meta.put("deletionTimestamp", store.times().plusSeconds(grace));
      meta.put("deletionGracePeriodSeconds", (int) grace);
    }
  }

  private static long podGrace(ObjectNode pod, DeleteOptions options) {
    JsonNode spec = pod.path("spec");
    String phase = pod.path("status").path("phase").asText();
    if (Json.text(spec, "nodeName").isEmpty()
        || phase.equals("Failed")
        || phase.equals("Succeeded")) {
      return 0;
    }
    Long requested = options.grace();
    return requested != null
        ? (requested < 0 ? 1 : requested)
        : spec.path("terminationGracePeriodSeconds").asLong(30);
  }

  /** The policy becomes a finalizer, which the garbage collector works off. */
  private static void propagation(ObjectNode meta, String policy) {
    String wanted =
        switch (policy) {
          case "Foreground" -> FOREGROUND;
          case "Orphan" -> ORPHAN;
          default -> "";
        };
    List<String> finalizers = new ArrayList<>();
    for (JsonNode finalizer : meta.path("finalizers")) {
      String text = finalizer.asText();
      if (text.equals(wanted) || !(text.equals(FOREGROUND) || text.equals(ORPHAN))) {
        finalizers.add(text);
      }
    }
    if (!wanted.isEmpty() && !finalizers.contains(wanted)) {
      finalizers.add(wanted);
    }
    if (finalizers.isEmpty()) {
      meta.remove("finalizers");
    } else {
      ArrayNode list = meta.putArray("finalizers");
      finalizers.forEach(list::add);
    }
  }

  private static void checkPreconditions(
      ResourceType type, StoredObject existing, DeleteOptions options) {
    ApiException.Names names = new ApiException.Names(type.group(), type.kind());
    if (!options.uid().isEmpty() && !options.uid().equals(existing.uid())) {
      throw ApiException.conflict(
          names,
          existing.name(),
          "the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated"
              .formatted(options.uid(), existing.uid()));
    }
    if (!options.version().isEmpty()
        && !options.version().equals(Long.toString(existing.version()))) {
      throw ApiException.conflict(
          names,
          existing.name(),
          "the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified"
              .formatted(options.version(), existing.version()));
    }
  }
}
