// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.testing.process.HttpCalls;
import dev.coxswain.testing.process.Waits;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * The items that wait, of all replicas, and operations on a tenth of them.
 *
 * @param replicas the APIs
 * @param each how many items each replica has
 * @param seconds how long each half of a part lasts
 */
record Items(List<HttpCalls> replicas, int each, int seconds) {
  /** The controller that they wait for. */
  static final String PARKED = "/api/v1/controllers/parked";

  private static final String OPERATIONS = PARKED + "/operations";
  private static final Duration FILL_LIMIT = Duration.ofMinutes(5);
  private static final Duration PREVIEW_LIMIT = Duration.ofSeconds(30);
  private static final int MOST_AFFECTED = 100_000;
  private static final int PACE = 5_000;
  private static final JsonObject REASON = new JsonObject().put("reason", "measured");

  /** An item that no operation matches; see {@code ParkedController}. */
  private static final String ONE =
      Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString("team-0/object-0".getBytes(StandardCharsets.UTF_8));

  private HttpCalls first() {
    return replicas.getFirst();
  }

  long total() throws IOException {
    return first().get(PARKED).getLong("total", 0L);
  }

  /** Something that a replica may not answer in time. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /** Returns whether a condition holds; not when replicas do not answer. */
  static boolean answers(Condition condition) {
    try {
      return condition.holds();
    } catch (IOException e) {
      return false;
    }
  }

  /** Waits until everything is there, and returns how many that are. */
  long await() throws IOException {
    long wanted = (long) each * replicas.size();
    // What fills the queues takes all processors, so that a call may take too long.
    if (!Waits.until(FILL_LIMIT, () -> answers(() -> total() >= wanted))) {
      throw new IOException(total() + " of " + wanted + " items after " + FILL_LIMIT);
    }
    Waits.pass(Duration.ofMillis(seconds * 500L)); // for the compilers and the collector
    return total();
  }

  /** Has the controllers add again what has been flushed, and waits for it. */
  void refill() throws IOException {
    first().send("POST", PARKED + "/items/" + ONE + "/retry", REASON);
    await();
  }

  /** Runs an operation at each replica that changes as good as nothing: no item has a failure. */
  void warmUp() throws IOException {
    JsonObject forget = operation("forget", "object-*8");
    for (HttpCalls replica : replicas) {
      stop(replica, begin(replica, forget, preview(replica, forget)));
    }
  }

  private static JsonObject flush() {
    return operation("flush", "object-*9").put("then", "none");
  }

  JsonObject previewFlush() throws IOException {
    return preview(first(), flush());
  }

  JsonObject beginFlush(JsonObject preview) throws IOException {
    return begin(first(), flush(), preview);
  }

  /** Stops an operation and returns what has become of it. */
  JsonObject stop(JsonObject operation) throws IOException {
    return stop(first(), operation);
  }

  private static JsonObject operation(String action, String name) {
    return new JsonObject()
        .put("action", action)
        .put("selector", new JsonObject().put("name", name))
        .put("maxAffected", MOST_AFFECTED)
        .put("itemsPerSecond", PACE)
        .mergeIn(REASON);
  }

  /** Returns the preview of an operation; once more while a busy replica does not answer. */
  private static JsonObject preview(HttpCalls replica, JsonObject operation) throws IOException {
    JsonObject[] preview = {new JsonObject()};
    JsonObject dryRun = operation.copy().put("dryRun", true);
    if (!Waits.until(
        PREVIEW_LIMIT,
        () -> {
          preview[0] = replica.send("POST", OPERATIONS, dryRun);
          return !preview[0].getBoolean("partial", false);
        })) {
      throw new IOException("each preview of a " + operation.getString("action") + " was partial");
    }
    return preview[0];
  }

  private static JsonObject begin(HttpCalls replica, JsonObject operation, JsonObject preview)
      throws IOException {
    JsonObject confirmed = operation.copy().put("confirmToken", preview.getString("confirmToken"));
    return replica.send("POST", OPERATIONS, confirmed);
  }

  private static JsonObject stop(HttpCalls replica, JsonObject operation) throws IOException {
    return replica.send("DELETE", "/api/v1/operations/" + operation.getString("id"), REASON);
  }
}
