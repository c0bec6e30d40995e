// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.part;

import dev.coxswain.bench.run.Commands;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The items that wait, of all replicas.
 *
 * <p>Thread rule: one thread; calls block.
 */
public final class Items {
  /** The controller that they wait for. */
  static final String PARKED = "/api/v1/controllers/parked";

  private static final long FILL_LIMIT_NANOS = 300_000_000_000L;

  /** An item that no order matches; see {@code ParkedController}. */
  private static final String ONE =
      Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString("team-0/object-0".getBytes(StandardCharsets.UTF_8));

  private final Options options;
  private final AdminCalls replica;

  public Items(Options options, AdminCalls replica) {
    this.options = options;
    this.replica = replica;
  }

  /** Returns how many there are now. */
  long total() throws IOException {
    return replica.get(PARKED).getLong("total", 0L);
  }

  /** Waits until everything is there, and returns how many that are. */
  public long await() throws IOException {
    long wanted = (long) options.itemsOfReplica() * options.replicas();
    long limit = System.nanoTime() + FILL_LIMIT_NANOS;
    while (total() < wanted) {
      if (System.nanoTime() > limit) {
        throw new IOException(total() + " of " + wanted + " items after five minutes");
      }
      Commands.pause(500);
    }
    // The compilers and the collector have been busy with it.
    Commands.pause(options.seconds() * 500L);
    return total();
  }

  /** Has the controllers add again what has been flushed, and waits for it. */
  void refill() throws IOException {
    replica.post(
        PARKED + "/items/" + ONE + "/retry", new JsonObject().put("reason", "measured again"));
    await();
  }
}
