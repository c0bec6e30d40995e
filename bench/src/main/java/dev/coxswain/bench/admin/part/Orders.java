// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.part;

import dev.coxswain.bench.run.Commands;
import io.vertx.core.json.JsonObject;
import java.io.IOException;

/** Operations on a tenth of the items. */
public final class Orders {
  private static final int MOST_AFFECTED = 100_000;
  private static final int PACE = 5_000;
  private static final int MAX_PREVIEWS = 60;
  private static final int PAUSE_MILLIS = 200;

  private Orders() {}

  public static JsonObject flush() {
    return order("flush", "object-*9").put("then", "none");
  }

  /** Returns an order that changes as good as nothing: no item has a failure. */
  public static JsonObject forget() {
    return order("forget", "object-*8");
  }

  private static JsonObject order(String action, String name) {
    return new JsonObject()
        .put("action", action)
        .put("selector", new JsonObject().put("name", name))
        .put("maxAffected", MOST_AFFECTED)
        .put("itemsPerSecond", PACE)
        .put("reason", "measured");
  }

  /** Returns the preview of an operation; once more while a busy replica does not answer. */
  public static JsonObject preview(AdminCalls replica, JsonObject order) throws IOException {
    JsonObject dryRun = order.copy().put("dryRun", true);
    for (int again = 0; again < MAX_PREVIEWS; again++) {
      JsonObject preview = replica.post(Items.PARKED + "/operations", dryRun);
      if (!preview.getBoolean("partial", false)) {
        return preview;
      }
      Commands.pause(PAUSE_MILLIS);
    }
    throw new IOException("each preview of " + order.getString("action") + " was partial");
  }

  /** Begins an operation that a preview has confirmed. */
  public static JsonObject begin(AdminCalls replica, JsonObject order, JsonObject preview)
      throws IOException {
    return replica.post(
        Items.PARKED + "/operations",
        order.copy().put("confirmToken", preview.getString("confirmToken")));
  }

  /** Stops an operation and returns what has become of it. */
  public static JsonObject stop(AdminCalls replica, JsonObject operation) throws IOException {
    return replica.delete(
        "/api/v1/operations/" + operation.getString("id"),
        new JsonObject().put("reason", "measured"));
  }
}
