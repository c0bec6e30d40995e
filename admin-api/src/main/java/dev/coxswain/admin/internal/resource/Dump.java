// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.DumpTrailer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One dump: a header line, a line per item, one replica after another, and a trailer with the
 * outcome of each replica. Confined to the admin event loop.
 */
final class Dump {

  /** A client has stalled after so many ticks without progress; the first tick may come at once. */
  private static final int LOOKS = 4;

  private final Vertx vertx;
  private final HttpServerResponse response;
  private final Deque<DumpPart> left;
  private final Map<String, DumpPart.Outcome> outcomes = new TreeMap<>();
  private final Promise<Void> ended = Promise.promise();
  private @Nullable DumpPart current;
  private final long timer;
  private long written;
  private int stalledTicks; // since the client has received data
  private boolean over;

  /**
   * Creates a dump.
   *
   * @param timeout the time without progress after which the response to a client is reset, or up
   *     to a third later
   * @param parts the parts of the replicas with items, in the order of writing
   * @param missing the replicas without an answer
   */
  Dump(
      Vertx vertx,
      HttpServerResponse response,
      Duration timeout,
      List<DumpPart> parts,
      List<PeerAnswer> missing) {
    this.vertx = vertx;
    this.response = response;
    this.timer = vertx.setPeriodic(Math.max(1, timeout.toMillis() / (LOOKS - 1)), tick -> tick());
    this.left = new ArrayDeque<>(parts);
    missing.forEach(answer ->
        outcomes.put(
            answer.replica(),
            new DumpPart.Outcome(answer.state(), 0, -1, String.valueOf(answer.error()))));
  }

  /** Writes the dump; the future completes when nothing more will be written. */
  Future<Void> write(String controller, String self) {
    response.setChunked(true).putHeader("X-Accel-Buffering", "no");
    response.closeHandler(closed -> aborted());
    response.exceptionHandler(failed -> aborted());
    Set<String> names = new TreeSet<>(outcomes.keySet());
    left.forEach(part -> names.add(part.replica()));
    response.write(
        line(
            new DumpTrailer.Header(DumpTrailer.Header.KIND, controller, self, List.copyOf(names))));
    next();
    return ended.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  /** The written data waits for the client, and nothing more can be written. */
  private void tick() {
    long now = response.bytesWritten();
    boolean stands = now == written && (over || response.writeQueueFull());
    written = now;
    stalledTicks = stands ? stalledTicks + 1 : 0;
    if (stalledTicks == LOOKS) {
      response.reset();
      aborted();
    }
  }

  private static Buffer line(Object json) {
    return Buffer.buffer(Json.write(json)).appendByte((byte) '\n');
  }

  private void next() {
    DumpPart part = left.poll();
    current = part;
    if (part == null) {
      finish();
      return;
    }
    part.write(response)
        .onSuccess(outcome -> {
          if (!over) {
            outcomes.put(part.replica(), outcome);
            next();
          }
        });
  }

  private void finish() {
    over = true;
    boolean complete = outcomes.values().stream().allMatch(DumpPart.Outcome::complete);
    long count = outcomes.values().stream().mapToLong(DumpPart.Outcome::count).sum();
    List<DumpTrailer.Part> parts = new ArrayList<>();
    outcomes.forEach((replica, outcome) -> parts.add(outcome.of(replica)));
    response
        .end(line(new DumpTrailer(DumpTrailer.KIND, complete, count, parts)))
        .onComplete(sent -> ended.tryComplete());
  }

  private void aborted() {
    if (!over && current != null) {
      current.cancel();
    }
    over = true;
    ended.tryComplete();
  }
}
