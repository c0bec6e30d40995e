// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ControllerStatus.State;

/**
 * The mark of responses of controllers that have not received all objects of their sources. Such a
 * response is partial: a missing item may appear later. Any thread.
 */
public final class Syncing {

  /** The mark, which only responses to other replicas have. */
  public static final String FIELD = "syncing";

  /** The reason why such a response is partial. */
  public static final String WHY = "the controller has not received all objects of its sources yet";

  private static final String SOME =
      "a controller that runs there has not received all objects of its sources yet";

  private Syncing() {}

  /**
   * Returns whether a controller is syncing, also after its time limit. To be read before its items: a complete response may
   * then be marked partial, and never the reverse.
   */
  public static boolean is(ControllerHandle handle) {
    State state = handle.status().state();
    return state == State.SYNCING || state == State.NOT_SYNCED;
  }

  /** Marks a response; {@code Cluster.mark} removes the mark. */
  public static ObjectNode mark(ObjectNode json, boolean syncing) {
    return syncing ? json.put(FIELD, true) : json;
  }

  /** Returns whether the response of a replica is that of a syncing controller. */
  static boolean in(JsonNode body) {
    return body.path(FIELD).asBoolean()
        || isState(body)
        || (isList(body) && body.path("items").valueStream().anyMatch(Syncing::isState));
  }

  /** Returns why the response of a replica is partial. */
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
