// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One write as webhooks see it; immutable, its trees must not be changed.
 *
 * @param place what is written
 * @param operation the operation
 * @param object the new state with kind and apiVersion; null for a delete
 * @param old the present state; null for a create
 * @param dryRun whether nothing will be stored
 * @param options the options of the write, as in {@code CreateOptions}
 * @param complete drops unknown fields of a mutated object and fills in defaults, in place
 */
public record AdmissionRequest(
    Place place,
    Operation operation,
    @Nullable ObjectNode object,
    @Nullable ObjectNode old,
    boolean dryRun,
    ObjectNode options,
    UnaryOperator<ObjectNode> complete) {

  /** The operations of rules; connections are not served. */
  public enum Operation {
    CREATE,
    UPDATE,
    DELETE
  }

  /**
   * The place of an object; immutable.
   *
   * @param resource the resource in the version of the request
   * @param namespace namespace; of a namespace its own name; empty = cluster
   * @param name name, empty when it is not generated yet
   * @param subresource subresource, empty = the object itself
   */
  public record Place(ServedResource resource, String namespace, String name, String subresource) {}

  /** True when an answer to the other request is one to this, too. */
  boolean same(AdmissionRequest other) {
    return place.equals(other.place)
        && operation == other.operation
        && Objects.equals(object, other.object)
        && Objects.equals(old, other.old);
  }

  /** Returns the request with its states in another form. */
  AdmissionRequest in(@Nullable ObjectNode state, @Nullable ObjectNode before) {
    return new AdmissionRequest(place, operation, state, before, dryRun, options, complete);
  }

  /** Returns the request with another new state. */
  public AdmissionRequest with(@Nullable ObjectNode state) {
    return new AdmissionRequest(place, operation, state, old, dryRun, options, complete);
  }
}
