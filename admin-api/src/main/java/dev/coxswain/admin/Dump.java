// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.queue.ItemPage;
import dev.coxswain.queue.QueuedItem;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One dump: a header line, a line per item, and a trailer whose {@code complete} tells a whole dump
 * from one that was cut short. It holds one page at a time, and asks for the next one when the
 * client has taken it. Confined to the admin event loop.
 */
final class Dump {

  private static final Logger log = LoggerFactory.getLogger(Dump.class);

  private static final int CHUNK = 32 * 1024;

  /** Rendering stops after this long, for others to have their turn. */
  private static final long TURN_NANOS = 2_000_000;

  private static final int CLOCK_EVERY = 16;

  private final HttpServerResponse response;
  private final Context context;
  private final Executor yielding;
  private final Function<ItemPage.Cursor, Future<ItemPage>> source;
  private final long patienceMillis;
  private final @Nullable Set<String> fields;
  private final Promise<Void> ended = Promise.promise();
  private ItemPage page = new ItemPage(List.of(), null, 0);
  private int next;
  private long count;
  private boolean asking;
  private boolean waiting;
  private boolean over;

  Dump(
      HttpServerResponse response,
      Context context,
      Executor yielding,
      Function<ItemPage.Cursor, Future<ItemPage>> source,
      Duration patience,
      @Nullable Set<String> fields) {
    this.response = response;
    this.context = context;
    this.yielding = yielding;
    this.source = source;
    this.patienceMillis = patience.toMillis();
    this.fields = fields;
  }

  /** Writes everything; the future completes when nothing more will be written. */
  Future<Void> write(String controller, String replica, ItemPage first) {
    response.setChunked(true).putHeader("X-Accel-Buffering", "no");
    response.closeHandler(closed -> aborted());
    response.exceptionHandler(failed -> aborted());
    response.drainHandler(drained -> advance());
    ObjectNode header = Json.object();
    header.put("kind", "ItemDump");
    header.put("controller", controller);
    header.put("replica", replica);
    header.put("asOfSeq", first.lastSeq());
    response.write(line(Buffer.buffer(), header));
    page = first;
    advance();
    return ended.future();
  }

  private void aborted() {
    over = true;
    ended.tryComplete();
  }

  private static Buffer line(Buffer text, ObjectNode json) {
    return text.appendBytes(Json.write(json)).appendByte((byte) '\n');
  }

  /** Writes as much of the page as the client takes and one turn allows. */
  private void advance() {
    if (over || asking || waiting) {
      return;
    }
    long began = System.nanoTime();
    Buffer text = Buffer.buffer();
    while (next < page.items().size()) {
      if (response.writeQueueFull()) {
        return; // goes on when it has drained
      }
      QueuedItem item = page.items().get(next++);
      ObjectNode json = Json.object().put("kind", "Item");
      line(text, json.setAll(ItemView.item(item, fields)));
      count++;
      boolean turnOver = next % CLOCK_EVERY == 0 && System.nanoTime() - began > TURN_NANOS;
      if (turnOver || text.length() >= CHUNK || next == page.items().size()) {
        response.write(text);
        text = Buffer.buffer();
      }
      if (turnOver) {
        later();
        return;
      }
    }
    turnPage();
  }

  private void later() {
    if (!waiting) {
      waiting = true;
      yielding.execute(() -> {
        waiting = false;
        advance();
      });
    }
  }

  private void turnPage() {
    ItemPage.Cursor cursor = page.next();
    if (cursor == null) {
      finish(Json.object().put("kind", "Trailer").put("complete", true));
      return;
    }
    asking = true;
    Future<ItemPage> asked;
    try {
      asked = source.apply(cursor);
    } catch (RuntimeException e) {
      failed(e);
      return;
    }
    long timer = context.owner().setTimer(patienceMillis, late -> failed(new TimeoutException()));
    asked.onComplete((fresh, failure) -> {
      context.owner().cancelTimer(timer);
      if (failure != null) {
        failed(failure);
        return;
      }
      asking = false;
      next = 0;
      page = fresh;
      // Not at once: where the controller is on the same event loop, page would follow page.
      later();
    });
  }

  private void failed(Throwable cause) {
    if (over) {
      return;
    }
    ObjectNode trailer = Json.object().put("kind", "Trailer").put("complete", false);
    if (cause instanceof Rejection rejection) {
      trailer.put("detail", Json.clean(rejection.problem().detail()));
    } else if (cause instanceof TimeoutException) {
      trailer.put("detail", "the controller did not answer in time");
    } else {
      log.atError().setCause(cause).log("Dump failed");
      trailer.put("detail", "the dump failed inside the host; its log has the cause");
    }
    finish(trailer);
  }

  private void finish(ObjectNode trailer) {
    if (!over) {
      over = true;
      response
          .end(line(Buffer.buffer(), trailer.put("count", count)))
          .onComplete(sent -> ended.tryComplete());
    }
  }
}
