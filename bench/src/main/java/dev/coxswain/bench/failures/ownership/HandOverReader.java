// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.testing.report.Recordings;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the logs of all processes when each slot was closed by its owner and opened by the next
 * one. In between no replica starts requests of the slot.
 */
final class HandOverReader {
  private static final String CLOSING = "closing slot";
  private static final String OPENED = "opened slot";

  private final Recordings recordings = new Recordings();
  private final Map<Term, Long> closed = new HashMap<>();
  private final Map<Term, Long> opened = new HashMap<>();

  private record Term(int slot, long epoch) {}

  /**
   * One slot that changed hands as planned. Times are nanoseconds of the machine's monotonic clock.
   *
   * @param closed when its owner was told to start no more of its requests
   * @param opened when all controllers of the next owner were able to start them
   */
  record HandOver(int slot, long epoch, long closed, long opened) {
    long nanos() {
      return opened - closed;
    }
  }

  /**
   * Returns the hand-overs that began within a time.
   *
   * @param logs the logs of all processes, with one JSON object a line
   */
  List<HandOver> between(List<Path> logs, long from, long to) throws IOException {
    for (Path log : logs) {
      recordings.next(log).forEach(this::add);
    }
    List<HandOver> found = new ArrayList<>();
    closed.forEach((term, nanos) -> {
      Long next = opened.get(new Term(term.slot, term.epoch + 1));
      if (next != null && nanos >= from && nanos < to) {
        found.add(new HandOver(term.slot, term.epoch, nanos, next));
      }
    });
    return found;
  }

  private void add(String line) {
    if (!line.contains(CLOSING) && !line.contains(OPENED)) {
      return;
    }
    JsonObject entry = json(line);
    if (entry == null || !entry.containsKey("nanos")) {
      return;
    }
    Term term = new Term(entry.getInteger("slot"), entry.getLong("epoch"));
    // The last time counts: a slot that its owner kept is closed again in the same epoch.
    Map<Term, Long> times = CLOSING.equals(entry.getString("msg")) ? closed : opened;
    times.put(term, entry.getLong("nanos"));
  }

  private static @Nullable JsonObject json(String line) {
    try {
      return new JsonObject(line);
    } catch (DecodeException _) {
      return null; // a line of the JVM
    }
  }
}
