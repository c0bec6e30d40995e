// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ControllerStatus.State;

/**
 * Answers of controllers that have not received all objects of their sources yet. Such an answer is
 * partial: an item that is absent now may come. Any thread.
 */
public final class Syncing {

  /** Marks an answer of a replica whose controller is syncing; between replicas. */
  public static final String FIELD = "syncing";

  /** Why such an answer is not whole. */
  public static final String WHY = "the controller has not received all objects of its sources yet";

  private static final String SOME =
      "a controller that runs there has not received all objects of its sources yet";

  private Syncing() {}

  /**
   * Returns whether a controller is syncing. To be read before its items are: a controller that
   * becomes complete in between has a whole answer that is called partial, and not the reverse.
   */
  public static boolean is(ControllerHandle handle) {
    return handle.status().state() == State.SYNCING;
  }

  /** Marks an answer for other replicas and for {@code Cluster.mark}, which removes the mark. */
  public static ObjectNode mark(ObjectNode json, boolean syncing) {
    return syncing ? json.put(FIELD, true) : json;
  }

  /** Returns whether the answer of one replica is that of a syncing controller. */
  static boolean in(JsonNode body) {
    if (body.path(FIELD).asBoolean() || isState(body)) {
      return true;
    }
    if (isList(body)) {
      for (JsonNode controller : body.path("items")) {
        if (isState(controller)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns why the answer of one replica is not whole. */
  static String why(JsonNode body) {
    return isList(body) ? SOME : WHY;
  }

  private static boolean isList(JsonNode body) {
    return body.path("kind").asText().equals("ControllerList");
  }

  private static boolean isState(JsonNode controller) {
    return controller.path("state").asText().equals(State.SYNCING.label());
  }
}
