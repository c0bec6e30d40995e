// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.watch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.conversion.Conversions;
import dev.coxswain.apiserver.internal.fault.Gate;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.selector.Selection;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.view.Rendering;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One open watch; confined to the server's event loop.
 *
 * <p>Events that the connection cannot take yet wait in a queue; when it is full the watch is
 * closed, as the real server closes slow watchers, and the client resumes or lists again.
 */
public final class Watcher {
  private static final int PIECE = 64 * 1024;
  private static final int SMALLEST = 256;

  private final HttpServerResponse response;
  private final ServedResource resource;
  private final Selection selection;
  private final Rendering.Shape shape;
  private final boolean bookmarks;
  private final int bound;
  private final Iterator<byte[]> backlog;
  private final Deque<byte[]> pending = new ArrayDeque<>();
  private final Gate gate;
  private final Rendering rendering;
  private final Pieces pieces;
  private final Runnable later;
  private final Pace pace = new Pace();
  private @Nullable ConvertedEvents conversion;
  private byte @Nullable [] started;
  private int sent;

  /** Bytes of {@link #pending}. */
  private int waiting;

  private boolean headed;
  private boolean muted;
  private boolean ended;

  /**
   * Creates a watch that first sends {@code backlog}.
   *
   * @param bound events that may wait for a slow client
   * @param gate closed while the world is paused
   * @param rendering prints bookmarks
   * @param pieces shared by all watchers
   * @param later schedules {@link #pump} at the end of this turn of the event loop
   */
  Watcher(
      HttpServerResponse response,
      ServedResource resource,
      Selection selection,
      Rendering.Shape shape,
      boolean bookmarks,
      int bound,
      Iterator<byte[]> backlog,
      Gate gate,
      Rendering rendering,
      Pieces pieces,
      Runnable later) {
    this.pieces = pieces;
    this.later = later;
    this.response = response;
    this.resource = resource;
    this.selection = selection;
    this.shape = shape;
    this.bookmarks = bookmarks;
    this.bound = bound;
    this.backlog = backlog;
    this.headed = backlog.hasNext();
    this.gate = gate;
    this.rendering = rendering;
  }

  ServedResource resource() {
    return resource;
  }

  /** Has a webhook convert the objects of all events from now on. */
  ConvertedEvents convert(Conversions conversions, ObjectCollection collection) {
    ConvertedEvents events =
        new ConvertedEvents(
            conversions,
            resource,
            (type, object) -> {
              long version = object.at("/metadata/resourceVersion").asLong();
              StoredObject seen = ObjectStore.preview(collection, object, version);
              Rendering.Shape here = headed ? shape.behindFirst() : shape;
              headed = true;
              enqueue(rendering.event(type, resource, seen, here));
            },
            this::enqueue,
            e ->
                expire(
                    rendering.event(
                        "ERROR",
                        Json.bytes(
                            ApiException.internal(String.valueOf(e.getMessage())).toStatus()))));
    conversion = events;
    return events;
  }

  /** Starts sending. */
  void start() {
    response.drainHandler(v -> pump());
    pump();
  }

  /** Takes a change; false when the client is too slow and the watch has been closed. */
  boolean offer(Change change, EventCache cache) {
    String type = type(change, selection);
    if (type == null) {
      return true;
    }
    StoredObject subject = change.current();
    if (type.equals("DELETED") && !change.deleted() && change.previous() != null) {
      subject =
          cache.leaving(change, change.previous()); // what it looked like when it still matched
    }
    if (conversion != null) {
      conversion.add(type, subject);
      if (conversion.size() > bound) {
        end();
        return gate.closed();
      }
      return true;
    }
    Rendering.Shape here = headed ? shape.behindFirst() : shape;
    headed = true;
    return enqueue(cache.event(type, resource, subject, here));
  }

  /** Returns the event type of a change under a selection, null when it is not visible. */
  static @Nullable String type(Change change, Selection selection) {
    StoredObject previous = change.previous();
    boolean before = previous != null && selection.matches(previous);
    boolean now = !change.deleted() && selection.matches(change.current());
    if (now) {
      return before ? "MODIFIED" : "ADDED";
    }
    return before ? "DELETED" : null;
  }

  /** Sends a bookmark when the client wants them. */
  void bookmark(long version) {
    boolean converting = conversion != null && conversion.size() > 0;
    if (bookmarks && !gate.closed() && !backlog.hasNext() && !converting) {
      enqueue(bookmark(rendering, resource, shape, version, false));
    }
  }

  /** Prints a bookmark. */
  static byte[] bookmark(
      Rendering rendering,
      ServedResource resource,
      Rendering.Shape shape,
      long version,
      boolean initialEnd) {
    ObjectNode object = Json.object();
    boolean plain = shape == Rendering.Shape.OBJECT;
    boolean table = shape == Rendering.Shape.TABLE;
    object.put("kind", plain ? resource.type().kind() : table ? "Table" : "PartialObjectMetadata");
    object.put("apiVersion", plain ? resource.apiVersion() : "meta.k8s.io/v1");
    ObjectNode meta = object.putObject("metadata");
    meta.put("resourceVersion", Long.toString(version));
    if (initialEnd) {
      meta.putObject("annotations").put("k8s.io/initial-events-end", "true");
    }
    return rendering.event("BOOKMARK", Json.bytes(object));
  }

  private boolean enqueue(byte[] event) {
    if (ended || muted) {
      return true;
    }
    if (pending.size() >= bound) {
      pump();
    }
    if (pending.size() >= bound) {
      end();
      return gate.closed(); // finished when the pause is over
    }
    pending.addLast(event);
    waiting += event.length;
    if (waiting >= PIECE) {
      pump();
    } else {
      later.run(); // what else this turn brings goes out with it
    }
    return true;
  }

  /** Sends as much as the client can take, in large pieces: each one costs a call of the system. */
  void pump() {
    while (!ended && writable() && next() != null) {
      boolean whole = sent == 0 && !pace.limits() && !backlog.hasNext();
      Buffer piece = whole ? shared() : own();
      if (piece.length() == 0) {
        return; // the pace lets it go on later
      }
      response.write(piece);
    }
  }

  /** Whole events, as other watchers have them, too. */
  private Buffer shared() {
    List<byte[]> events = new ArrayList<>();
    int length = 0;
    for (byte[] event = next(); event != null; event = length < PIECE ? next() : null) {
      events.add(event);
      length += event.length;
      started = null;
    }
    return pieces.join(events);
  }

  /** Of the backlog, or no more than the pace allows. */
  private Buffer own() {
    Buffer piece = Buffer.buffer(Math.clamp(waiting, SMALLEST, PIECE));
    while (piece.length() < PIECE) {
      byte[] event = next();
      int length = event == null ? 0 : pace.take(event.length - sent);
      if (event == null || length == 0) {
        break;
      }
      piece.appendBytes(event, sent, length);
      sent += length;
      if (sent == event.length) {
        started = null;
      }
    }
    return piece;
  }

  private boolean writable() {
    return !muted && !gate.closed() && !response.closed() && !response.writeQueueFull();
  }

  private byte @Nullable [] next() {
    if (started == null) {
      sent = 0;
      if (backlog.hasNext()) {
        started = backlog.next();
      } else {
        byte[] event = pending.pollFirst();
        waiting -= event == null ? 0 : event.length;
        started = event;
      }
    }
    return started;
  }

  /** Sends no faster than this from now on; 0 = as fast as the client reads. */
  void pace(int bytesPerSecond) {
    pace.limit(bytesPerSecond);
    pump();
  }

  /** Permits a slow stream the bytes of some time. */
  void elapsed(long millis) {
    pace.elapsed(millis);
    pump();
  }

  /** Continues after a pause. */
  void resume() {
    if (ended) {
      finish();
    } else {
      pump();
    }
  }

  /** Sends an expired-version error to the client, and ends. */
  void expire(byte[] error) {
    if (!ended && !muted) {
      pump();
      clear();
      pending.addLast(error);
      end(true);
    }
  }

  /** Sends nothing from now on, but keeps the connection; false when it did so already. */
  boolean mute() {
    boolean news = !muted && !ended;
    pump(); // what happened before is not held back
    muted = true;
    clear();
    return news;
  }

  /** Ends the stream at its time limit; a muted one stays open, as a dead connection would. */
  void timeOut(long version) {
    if (!muted) {
      bookmark(version);
      end();
    }
  }

  /** Ends the stream cleanly, after the rest of an event that is partly sent. */
  void end() {
    end(false);
  }

  private void end(boolean flush) {
    if (ended) {
      return;
    }
    pump();
    ended = true;
    if (!flush) {
      clear();
    }
    if (!gate.closed()) {
      finish();
    }
  }

  private void finish() {
    if (response.closed() || response.ended()) {
      return;
    }
    byte[] half = started;
    started = null;
    if (half != null && sent > 0) {
      response.write(Buffer.buffer().appendBytes(half, sent, half.length - sent));
    }
    pending.forEach(event -> response.write(Buffer.buffer(event)));
    clear();
    response.end();
  }

  private void clear() {
    if (conversion != null) {
      conversion.close();
    }
    pending.clear();
    waiting = 0;
  }
}
