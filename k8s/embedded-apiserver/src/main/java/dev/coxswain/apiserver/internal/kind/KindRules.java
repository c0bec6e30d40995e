// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.status.Field;
import org.jspecify.annotations.Nullable;

/** The rules of one built-in kind beyond the common ones; stateless, any thread. */
public interface KindRules {
  /** Sets the fields that are set only at the creation of an object; it has its name and uid. */
  default void prepare(ObjectNode object) {}

  /** Fills in, on every write, defaults that depend on other fields. */
  default void defaults(ObjectNode object) {}

  /** Carries what clients may leave out from the old object to the new one. */
  default void merge(ObjectNode old, ObjectNode object) {}

  /** Adds what is wrong; {@code old} is null on create. */
  default void validate(@Nullable ObjectNode old, Field object) {}

  /** True when an update checks all of the metadata again, as a create does. */
  static boolean checksAllMetadata(ResourceType type) {
    return AllKinds.CHECK_ALL_METADATA.contains(type.storage());
  }

  /** True when a delete answers the object and not a status. */
  static boolean answersDeleted(ResourceType type) {
    return AllKinds.ANSWER_DELETED.contains(type.storage());
  }

  /** Returns the rules of custom resource definitions. */
  static KindRules ofDefinitions() {
    return AllKinds.of("apiextensions.k8s.io/customresourcedefinitions");
  }

  /** Returns the rules of a resource. */
  static KindRules of(ResourceType type) {
    return AllKinds.of(type.custom() ? "" : type.storage());
  }
}
