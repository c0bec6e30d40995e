// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.admission.AdmissionRequest;
import dev.coxswain.apiserver.internal.admission.AdmissionRequest.Operation;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.kind.EventProjection;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.BuiltinDefaults;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One write as the webhooks of its verb see it; confined to the server's event loop.
 *
 * @param at what is written
 * @param operation the operation
 * @param optionsKind kind of its options, as in {@code CreateOptions}
 * @param options the options
 */
record AdmissionCheck(Target at, Operation operation, String optionsKind, WriteOptions options) {

  /**
   * Returns the new state as mutating webhooks want it, without kind and apiVersion; null when there
   * are none.
   *
   * @param object the new state, which is not changed
   * @param old the present state, null for a new object
   */
  @Nullable ObjectNode mutate(ObjectNode object, @Nullable ObjectNode old) {
    ObjectNode mutated = options.admission().mutate(request(object, old));
    if (mutated == null) {
      return null;
    }
    ObjectNode core = at.type().newEvents() ? EventProjection.toCore(mutated) : mutated;
    core.remove(List.of("kind", "apiVersion"));
    return core;
  }

  /** Has validating webhooks check the final state. */
  void validate(ObjectNode object, @Nullable ObjectNode old) {
    options.admission().validate(request(object, old));
  }

  private AdmissionRequest request(ObjectNode object, @Nullable ObjectNode old) {
    ServedResource resource = at.resource();
    UnaryOperator<ObjectNode> complete =
        mutated -> {
          Decoding.decodeMutated(resource, mutated);
          BuiltinDefaults.fill(mutated, resource.version().schema());
          return mutated;
        };
    return new AdmissionRequest(
        place(at),
        operation,
        seen(resource, object),
        old == null ? null : seen(resource, old),
        options.dryRun(),
        node(),
        complete);
  }

  private ObjectNode node() {
    ObjectNode node = Json.object().put("kind", optionsKind).put("apiVersion", "meta.k8s.io/v1");
    if (options.dryRun()) {
      node.putArray("dryRun").add("All");
    }
    if (!options.manager().isEmpty()) {
      node.put("fieldManager", options.manager());
    }
    return node.put("fieldValidation", options.validation());
  }

  /** Returns the place of an object; that of a namespace is in itself. */
  static AdmissionRequest.Place place(Target at) {
    String namespace = at.type().is("", "namespaces") ? at.name() : at.namespace();
    return new AdmissionRequest.Place(at.resource(), namespace, at.name(), at.subresource());
  }

  /** Returns an object with its kind, in the form of the resource. */
  static ObjectNode seen(ServedResource resource, ObjectNode object) {
    ResourceType type = resource.type();
    ObjectNode form = type.newEvents() ? EventProjection.toNew(object) : object;
    ObjectNode seen =
        Json.object().put("kind", type.kind()).put("apiVersion", resource.apiVersion());
    form.properties()
        .forEach(e -> {
          if (!seen.has(e.getKey())) {
            seen.set(e.getKey(), e.getValue());
          }
        });
    return seen;
  }
}
