// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import java.util.Collection;
import java.util.Map;

/** Sums of counts over the responses of several replicas. Any thread. */
public final class Sums {

  private Sums() {}

  /** Returns the sum of a count. */
  public static long of(Collection<? extends JsonNode> parts, String field) {
    long sum = 0;
    for (JsonNode part : parts) {
      sum += part.path(field).asLong();
    }
    return sum;
  }

  /** Replaces an object of counts by the sums of its counts. */
  public static void putObject(
      ObjectNode whole, Collection<? extends JsonNode> parts, String field) {
    ObjectNode sums = Json.object();
    for (JsonNode part : parts) {
      for (Map.Entry<String, JsonNode> count : part.path(field).properties()) {
        sums.put(count.getKey(), sums.path(count.getKey()).asLong() + count.getValue().asLong());
      }
    }
    whole.set(field, sums);
  }
}
