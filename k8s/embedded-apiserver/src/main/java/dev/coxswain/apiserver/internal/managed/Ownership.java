// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.managed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.resource.ServedResource;

/** Records who owns which fields; any thread. */
public final class Ownership {
  private Ownership() {}

  /** Records the creator of a new object. */
  public static void created(
      ServedResource resource, ObjectNode object, String manager, String now) {}

  /** Records what an update changed. */
  public static void updated(
      ServedResource resource,
      ObjectNode old,
      ObjectNode object,
      String manager,
      String subresource,
      String now) {}
}
