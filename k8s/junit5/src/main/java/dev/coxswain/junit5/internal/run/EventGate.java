// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import okhttp3.Call;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSource;
import okio.Source;
import okio.Timeout;

/**
 * One open watch between the server and an informer. The events of the first list pass at once; later ones wait
 * until they are delivered one by one.
 *
 * <p>Thread rule: any thread.
 */
public final class EventGate implements Source {

  private static final String EXPIRED =
      "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
          + "\"reason\":\"Expired\",\"code\":410,\"message\":\"too old resource version\"}}";

  /** One event as the server sent it. */
  private record Line(String text, String what, boolean bookmark) {}

  private final String cluster;
  private final String key;
  private final Call call;
  private final Response response;
  private final Thread informer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final Deque<Line> waiting = new ArrayDeque<>();
  private final Deque<Line> released = new ArrayDeque<>();
  private final Buffer partial = new Buffer();
  private boolean initial;
  private boolean readerWaits;
  private boolean serverEnded;
  private boolean endAfterReleased;
  private boolean closed;
  private long received;

  /**
   * Creates a gate.
   *
   * @param cluster the name of the cluster; empty for the first one
   * @param key the collection and its selection
   * @param call the call, which is cancelled when the informer closes the watch
   * @param response the response of the server
   * @param informer the thread that reads it
   * @param initial whether the watch begins with a list
   */
  EventGate(
      String cluster, String key, Call call, Response response, Thread informer, boolean initial) {
    this.cluster = cluster;
    this.key = cluster.isEmpty() ? key : cluster + " " + key;
    this.informer = informer;
    this.call = call;
    this.response = response;
    this.initial = initial;
    Thread.ofVirtual().name("coxswain-test-watch " + this.key).start(this::pump);
  }

  /** Returns the cluster, the collection and its selection. */
  public String key() {
    return key;
  }

  /** Returns the name of the cluster; empty for the first one. */
  String cluster() {
    return cluster;
  }

  /** Returns whether it is the watch of an informer. */
  boolean isOf(Thread thread) {
    return informer.equals(thread);
  }

  /** Returns how many events wait to be delivered. */
  public int waiting() {
    lock.lock();
    try {
      return (int) waiting.stream().filter(line -> !line.bookmark).count();
    } finally {
      lock.unlock();
    }
  }

  private void pump() {
    try (response) {
      BufferedSource source = response.body().source();
      for (String line = source.readUtf8Line(); line != null; line = source.readUtf8Line()) {
        if (!line.isBlank()) {
          take(line);
        }
      }
    } catch (IOException e) {
      // closed by the reader, or by a fault of the server: either way the watch ends
    }
    lock.lock();
    try {
      serverEnded = true;
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void take(String text) {
    JsonObject event = JsonParser.parseString(text).getAsJsonObject();
    String type = event.get("type").getAsString();
    JsonObject object = event.getAsJsonObject("object");
    JsonElement metadata = object.get("metadata");
    String version = member(metadata, "resourceVersion");
    boolean bookmark = type.equals("BOOKMARK");
    Line line =
        new Line(
            text,
            "%s %s %s v%s%s"
                .formatted(
                    type.toLowerCase(Locale.ROOT),
                    member(object, "kind"),
                    name(metadata),
                    version,
                    TestServer.in(cluster)),
            bookmark);
    lock.lock();
    try {
      if (initial) {
        released.add(line);
        initial = !(bookmark && text.contains("k8s.io/initial-events-end"));
      } else {
        waiting.add(line);
      }
      if (!version.isEmpty() && !initial) {
        received = Math.max(received, Long.parseLong(version));
      }
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static String name(JsonElement metadata) {
    String namespace = member(metadata, "namespace");
    return (namespace.isEmpty() ? "" : namespace + "/") + member(metadata, "name");
  }

  private static String member(JsonElement object, String name) {
    return object instanceof JsonObject map && map.get(name) != null
        ? map.get(name).getAsString()
        : "";
  }

  /** Returns whether everything up to a version has been received from the server. */
  boolean hasReceived(long version) {
    lock.lock();
    try {
      return received >= version || serverEnded || closed;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the informer has processed its first list and everything that was delivered. */
  boolean isConsumed() {
    lock.lock();
    try {
      boolean ending =
          serverEnded && (waiting.isEmpty() || call.isCanceled()); // another one follows
      return closed
          || (!initial && !ending && readerWaits && released.isEmpty() && partial.exhausted());
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the informer has closed it. */
  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the informer has ended: it opens no other watch instead of this one. */
  boolean isOver() {
    return isClosed() && !informer.isAlive();
  }

  /** Delivers events, and bookmarks behind them; returns what the events were. */
  List<String> release(int events) {
    List<String> what = new ArrayList<>();
    lock.lock();
    try {
      while (!waiting.isEmpty() && (waiting.getFirst().bookmark || what.size() < events)) {
        Line line = waiting.removeFirst();
        released.add(line);
        if (!line.bookmark) {
          what.add(line.what);
        }
      }
      readerWaits &= released.isEmpty();
      more.signalAll();
    } finally {
      lock.unlock();
    }
    return what;
  }

  /** Loses the waiting events: the watch ends with an expired version, and the informer lists again. */
  public int expire() {
    lock.lock();
    try {
      int lost = (int) waiting.stream().filter(line -> !line.bookmark).count();
      waiting.clear();
      released.add(new Line(EXPIRED, "expired", false));
      endAfterReleased = true;
      readerWaits = false;
      more.signalAll();
      return lost;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long read(Buffer sink, long byteCount) throws IOException {
    lock.lock();
    try {
      while (partial.exhausted()) {
        Line next = released.pollFirst();
        if (next != null) {
          partial.write((next.text + "\n").getBytes(StandardCharsets.UTF_8));
        } else if (closed || call.isCanceled()) {
          // Also when events wait: its closer waits for the reader, and the next watch receives
          // them again.
          throw new IOException("the watch was closed");
        } else if (endAfterReleased || (serverEnded && waiting.isEmpty())) {
          return -1;
        } else {
          readerWaits = true;
          more.await();
        }
      }
      readerWaits = false;
      return partial.read(sink, byteCount);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Timeout timeout() {
    return Timeout.NONE;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      more.signalAll();
    } finally {
      lock.unlock();
    }
    call.cancel(); // ends the pump, which closes the response
  }
}
