// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.PeerStreams;
import dev.coxswain.admin.internal.resource.DumpPart;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.streams.WriteStream;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the items of another replica into a dump. It does not read from the replica while the
 * client does not read. Confined to the admin event loop.
 */
final class DumpRelay implements DumpPart {

  /** The stream is stalled after so many ticks without data; the first tick may come at once. */
  private static final int STALLED_TICKS = 4;

  private final Vertx vertx;
  private final String replica;
  private final Supplier<Future<PeerStreams.Opened>> source;
  private final long silenceMillis;
  private final DumpLines lines = new DumpLines();
  private final Promise<Outcome> ended = Promise.promise();
  private @Nullable HttpClientResponse stream;
  private boolean paused;
  private int silentTicks; // since the last data
  private boolean over;
  private long timer = -1;

  /**
   * Creates the part.
   *
   * @param source opens the dump of the replica
   * @param silenceMillis the time without data after which the dump fails, or up to a third later
   */
  DumpRelay(
      Vertx vertx,
      String replica,
      Supplier<Future<PeerStreams.Opened>> source,
      long silenceMillis) {
    this.vertx = vertx;
    this.replica = replica;
    this.source = source;
    this.silenceMillis = silenceMillis;
  }

  @Override
  public String replica() {
    return replica;
  }

  @Override
  public Future<Outcome> write(WriteStream<Buffer> out) {
    source.get().onSuccess(opened -> opened(opened, out));
    return ended.future();
  }

  private void opened(PeerStreams.Opened opened, WriteStream<Buffer> out) {
    HttpClientResponse body = opened.body();
    if (body == null) {
      PeerAnswer answer = opened.answer();
      String error = answer.error();
      // A replica without items is a failure here: it had items at the first request.
      end(
          error == null
              ? lines.failed(PeerAnswer.State.REFUSED, "it answered " + answer.status())
              : lines.failed(answer.state(), error));
      return;
    }
    stream = body;
    if (over) {
      PeerStreams.cancel(body);
      return;
    }
    timer =
        vertx.setPeriodic(Math.max(1, silenceMillis / (STALLED_TICKS - 1)), tick -> checkSilence());
    out.drainHandler(drained -> flow(body));
    body.exceptionHandler(
        failed -> end(lines.failed(PeerAnswer.State.UNREACHABLE, PeerStreams.describe(failed))));
    body.endHandler(end -> end(lines.outcome()));
    body.handler(data -> forward(data, body, out));
    body.resume();
  }

  private void forward(Buffer data, HttpClientResponse body, WriteStream<Buffer> out) {
    if (over) {
      return;
    }
    silentTicks = 0;
    Buffer items = lines.take(data);
    if (items.length() > 0) {
      out.write(items);
    }
    if (lines.isBroken()) {
      end(lines.outcome());
    } else if (out.writeQueueFull()) {
      paused = true;
      body.pause();
    }
  }

  private void flow(HttpClientResponse body) {
    if (paused && !over) {
      paused = false;
      silentTicks = 0;
      body.resume();
    }
  }

  private void checkSilence() {
    if (!paused && ++silentTicks == STALLED_TICKS) {
      end(lines.failed(PeerAnswer.State.TIMEOUT, "no data for " + silenceMillis + " ms"));
    }
  }

  private void end(Outcome outcome) {
    if (!over) {
      stop(outcome.complete());
      ended.complete(outcome);
    }
  }

  @Override
  public void cancel() {
    if (!over) {
      stop(false);
    }
  }

  private void stop(boolean whole) {
    over = true;
    if (timer >= 0) {
      vertx.cancelTimer(timer);
    }
    if (stream != null && !whole) {
      PeerStreams.cancel(stream);
    }
  }
}
