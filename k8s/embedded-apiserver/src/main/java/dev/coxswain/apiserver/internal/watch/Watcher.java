// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.watch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.selector.Selection;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.view.Rendering;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * One open watch; confined to the server's event loop.
 *
 * <p>Events that the connection cannot take yet wait in a queue; when it is full the watch is
 * closed, as the real server closes slow watchers, and the client resumes or lists again.
 */
public final class Watcher {
  private final HttpServerResponse response;
  private final ServedResource resource;
  private final Selection selection;
  private final Rendering.Shape shape;
  private final boolean bookmarks;
  private final int bound;
  private final Iterator<byte[]> backlog;
  private final Deque<byte[]> pending = new ArrayDeque<>();
  private boolean muted;
  private boolean ended;

  /**
   * Creates a watch that first sends {@code backlog}.
   *
   * @param bound events that may wait for a slow client
   */
  public Watcher(
      HttpServerResponse response,
      ServedResource resource,
      Selection selection,
      Rendering.Shape shape,
      boolean bookmarks,
      int bound,
      Iterator<byte[]> backlog) {
    this.response = response;
    this.resource = resource;
    this.selection = selection;
    this.shape = shape;
    this.bookmarks = bookmarks;
    this.bound = bound;
    this.backlog = backlog;
  }

  ServedResource resource() {
    return resource;
  }

  boolean ended() {
    return ended;
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
    return enqueue(cache.event(type, resource, subject, shape));
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
    if (bookmarks && !backlog.hasNext()) {
      enqueue(bookmark(resource, shape, version, false));
    }
  }

  /** Prints a bookmark. */
  static byte[] bookmark(
      ServedResource resource, Rendering.Shape shape, long version, boolean initialEnd) {
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
    return Rendering.event("BOOKMARK", Json.bytes(object));
  }

  private boolean enqueue(byte[] event) {
    if (ended || muted) {
      return true;
    }
    if (pending.size() >= bound) {
      end();
      return false;
    }
    pending.addLast(event);
    pump();
    return true;
  }

  private void pump() {
    while (!ended && !muted && !response.closed() && !response.writeQueueFull()) {
      byte[] next = backlog.hasNext() ? backlog.next() : pending.pollFirst();
      if (next == null) {
        return;
      }
      response.write(Buffer.buffer(next));
    }
  }

  /** Sends nothing from now on, but keeps the connection. */
  void mute() {
    muted = true;
    pending.clear();
  }

  /** Ends the stream at its time limit; a muted one stays open, as a dead connection would. */
  void timeOut(long version) {
    if (!muted) {
      bookmark(version);
      end();
    }
  }

  /** Ends the stream cleanly. */
  void end() {
    if (!ended) {
      ended = true;
      pending.clear();
      if (!response.closed() && !response.ended()) {
        response.end();
      }
    }
  }
}
