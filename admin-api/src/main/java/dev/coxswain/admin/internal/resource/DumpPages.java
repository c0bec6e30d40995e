// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.cluster.Outcome;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.Syncing;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The items of this replica in a dump. It keeps one page at a time, and requests the next one when
 * the client has received it. Confined to the admin event loop.
 */
final class DumpPages implements DumpPart {

  private static final Logger log = LoggerFactory.getLogger(DumpPages.class);

  private static final int CHUNK = 32 * 1024;

  /** The time of one slice of writing. */
  private static final long TURN_NANOS = 500_000;

  private static final int CLOCK_EVERY = 16;

  private final Vertx vertx;
  private final Executor yielding;
  private final String replica;
  private final Source source;
  private final boolean syncing;
  private final long patienceMillis;
  private final @Nullable Set<String> fields;
  private final Promise<Outcome> ended = Promise.promise();
  private @Nullable ItemPage page;
  private int next;
  private long count;
  private long asOfSeq = -1;
  private boolean waiting;
  private boolean over;

  /** Requests a page: the first one for a null cursor. */
  @FunctionalInterface
  interface Source extends Function<ItemPage.@Nullable Cursor, Future<ItemPage>> {}

  /**
   * Creates the part.
   *
   * @param yielding runs the next slice of work
   * @param syncing whether the controller was syncing before its first page was requested
   * @param first the first page; null when it has not been requested
   * @param timeout the time limit of a page
   * @param fields the fields of an item; null for all fields
   */
  DumpPages(
      Vertx vertx,
      Executor yielding,
      String replica,
      Source source,
      boolean syncing,
      @Nullable ItemPage first,
      Duration timeout,
      @Nullable Set<String> fields) {
    this.vertx = vertx;
    this.yielding = yielding;
    this.replica = replica;
    this.source = source;
    this.syncing = syncing;
    this.page = first;
    this.patienceMillis = timeout.toMillis();
    this.fields = fields;
  }

  @Override
  public String replica() {
    return replica;
  }

  @Override
  public Future<Outcome> write(WriteStream<Buffer> out) {
    out.drainHandler(drained -> advance(out));
    if (page == null) {
      request(out, null);
    } else {
      asOfSeq = page.lastSeq();
      advance(out);
    }
    return ended.future();
  }

  @Override
  public void cancel() {
    over = true;
  }

  /** Writes the page until the client cannot receive more or the slice is over. */
  private void advance(WriteStream<Buffer> out) {
    ItemPage now = page;
    if (over || waiting || now == null) {
      return;
    }
    long began = System.nanoTime();
    Buffer text = Buffer.buffer();
    while (next < now.items().size()) {
      if (out.writeQueueFull()) {
        return; // continues when the queue has drained
      }
      QueuedItem item = now.items().get(next++);
      text.appendBytes(
              Json.write(
                  ItemView.item(item, fields).withKind(ItemResource.KIND).withReplica(replica)))
          .appendByte((byte) '\n');
      count++;
      boolean turnOver = next % CLOCK_EVERY == 0 && System.nanoTime() - began > TURN_NANOS;
      if (turnOver || text.length() >= CHUNK || next == now.items().size()) {
        out.write(text);
        text = Buffer.buffer();
      }
      if (turnOver) {
        later(out);
        return;
      }
    }
    ItemPage.Cursor cursor = now.next();
    if (cursor == null) {
      end(
          syncing
              ? new Outcome(PeerAnswer.State.SYNCING, count, asOfSeq, Syncing.WHY)
              : Outcome.whole(count, asOfSeq));
    } else {
      request(out, cursor);
    }
  }

  private void later(WriteStream<Buffer> out) {
    if (!waiting) {
      waiting = true;
      yielding.execute(() -> {
        waiting = false;
        advance(out);
      });
    }
  }

  private void request(WriteStream<Buffer> out, ItemPage.@Nullable Cursor cursor) {
    page = null;
    Future<ItemPage> requested;
    try {
      requested = source.apply(cursor);
    } catch (RuntimeException e) {
      failed(e);
      return;
    }
    long timer = vertx.setTimer(patienceMillis, late -> failed(new TimeoutException()));
    requested.onComplete((fresh, failure) -> {
      vertx.cancelTimer(timer);
      if (failure != null) {
        failed(failure);
        return;
      }
      if (asOfSeq < 0) {
        asOfSeq = fresh.lastSeq();
      }
      next = 0;
      page = fresh;
      // Not at once: on an event loop shared with the controller, one page would follow another.
      later(out);
    });
  }

  private void failed(Throwable cause) {
    if (over) {
      return;
    }
    PeerAnswer.State state = PeerAnswer.State.REFUSED;
    String error = "the dump failed inside the host; its log has the cause";
    if (cause instanceof Rejection rejection) {
      error = rejection.problem().detail();
    } else if (cause instanceof TimeoutException) {
      state = PeerAnswer.State.TIMEOUT;
      error = "the controller did not answer in time";
    } else {
      log.atError().setCause(cause).log("dump failed");
    }
    end(new Outcome(state, count, asOfSeq, error));
  }

  private void end(Outcome outcome) {
    if (!over) {
      over = true;
      ended.complete(outcome);
    }
  }
}
