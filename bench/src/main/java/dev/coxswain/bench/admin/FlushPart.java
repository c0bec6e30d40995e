// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.testing.process.Commands;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Map;

/** Stops a flush in the middle; what it has flushed is added again afterwards. */
final class FlushPart implements Part {
  private final Items items;
  private final int seconds;
  private JsonObject preview = new JsonObject();
  private long left;

  FlushPart(Items items, int seconds) {
    this.items = items;
    this.seconds = seconds;
  }

  @Override
  public String name() {
    return FLUSH;
  }

  @Override
  public void prepare() throws IOException {
    preview = items.previewFlush();
  }

  @Override
  public Map<Figure, Double> until(long end) throws IOException {
    JsonObject operation = items.beginFlush(preview);
    Commands.pause(seconds * 500L);
    long begin = System.nanoTime();
    JsonObject ended = items.stop(operation);
    long took = System.nanoTime() - begin;
    left = items.total();
    Commands.pause(Math.max(0, (end - System.nanoTime()) / 1_000_000));
    return Map.of(
        Figure.MATCHED,
        (double) preview.getInteger("matched"),
        Figure.STOP,
        took / 1e6,
        Figure.FLUSHED,
        (double) ended.getInteger("done"),
        Figure.ENDED_BEFORE,
        "Cancelled".equals(ended.getString("state")) ? 0.0 : 1.0);
  }

  @Override
  public Map<Figure, Double> restore() throws IOException {
    double after = left - items.total();
    items.refill();
    return Map.of(Figure.FLUSHED_AFTER, after);
  }
}
