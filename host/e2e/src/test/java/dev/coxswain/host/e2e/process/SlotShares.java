// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What the slot map says of replicas that have just started: their slots still move for seconds after
 * all are ready, and what is done with items meanwhile leaves those that move alone.
 */
public final class SlotShares {

  private SlotShares() {}

  /** Returns whether a map is shared evenly and nothing moves. A moving slot has two owners. */
  public static boolean areEven(JsonNode map, int replicas) {
    int share = map.path("count").asInt() / replicas;
    int ready = 0;
    for (JsonNode one : map.path("shares")) {
      int slots = one.path("slots").asInt();
      boolean open = one.path("open").asInt() == slots && one.path("incoming").asInt() == 0;
      ready += slots >= share && open ? 1 : 0;
    }
    return ready == replicas && map.path("counts").path("draining").asInt() == 0;
  }
}
