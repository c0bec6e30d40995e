// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.events;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer of Events about objects, in the background and at best effort: an Event that cannot be
 * written is dropped and counted, and never disturbs reconciling.
 *
 * <p>Equal Events about an object within {@link #SERIES_WINDOW} become one with a count, written at
 * most every {@link #SERIES_PAUSE}. After {@link #DIFFERENT_NOTES} Events of an object that differ
 * only in their note, further ones are counted in a combined one. An object may have {@link #BURST}
 * Events, and one more every {@link #REFILL}: beyond that, an Event is counted if it exists
 * already, and dropped otherwise.
 *
 * <p>Thread rule: any thread; nothing blocks but {@link #close}. There is a thread only while Events
 * wait: a recorder of a controller that has stopped needs not be closed, and is then garbage.
 *
 * <h2>Bounds</h2>
 *
 * The Events that wait to be written and those kept for counting are both limited in number;
 * repetitions cost nothing.
 */
public final class EventRecorder implements AutoCloseable {

  /** The time after its last repetition in which an Event is counted instead of written again. */
  public static final Duration SERIES_WINDOW = Duration.ofMinutes(6);

  /** The shortest time between two writes of the count of one Event. */
  public static final Duration SERIES_PAUSE = Duration.ofSeconds(5);

  /** The most different Events that wait; more are dropped. */
  public static final int MAX_WAITING = 1_000;

  /** The most Events that may be written about an object at once. */
  public static final int BURST = 25;

  /** The time until one more Event may be written about an object. */
  public static final Duration REFILL = Duration.ofMinutes(5);

  /** The most Events that differ only in their note and are written separately in ten minutes. */
  public static final int DIFFERENT_NOTES = 10;

  private static final Duration NOTES_WINDOW = Duration.ofMinutes(10);
  private static final String COMBINED = "(combined from similar events): ";
  private static final int MAX_REMEMBERED = 4_096;
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);

  private final EventWriter events;
  private final String controller;
  private final Clock clock;
  private final UserCode userCode;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final Map<EventKey, Series> series =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EventKey, Series> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };
  private final Map<EventKey, Series> waiting = new LinkedHashMap<>();
  private final EventSpamFilter limits =
      new EventSpamFilter(BURST, REFILL, DIFFERENT_NOTES, NOTES_WINDOW, MAX_REMEMBERED);
  private long dropped;
  private boolean closed;

  /** The thread that writes while Events wait. */
  private @Nullable Thread writer;

  private static final class Series {
    final String note;
    long count;
    long written;
    String storedName = "";
    long lastSeen;
    long lastWritten;

    Series(String note) {
      this.note = note;
    }
  }

  /**
   * Creates a recorder.
   *
   * @param transport the connection to the API server
   * @param controller the reporting controller, such as {@code coxswain.dev/demo}
   * @param instance the reporting instance, such as the name of the pod
   * @param clock the time
   */
  public EventRecorder(ApiTransport transport, String controller, String instance, Clock clock) {
    this.events = new EventWriter(transport, controller, instance, clock);
    this.controller = controller;
    this.clock = clock;
    this.userCode = new UserCode("controller", controller);
  }

  /** Records an Event of type Normal about an object whose class names its resource. */
  public <T extends KubernetesObject> void normal(
      T object, String reason, String action, String note) {
    normal(typeOf(object), object, reason, action, note);
  }

  /** Records an Event of type Warning about an object whose class names its resource. */
  public <T extends KubernetesObject> void warning(
      T object, String reason, String action, String note) {
    warning(typeOf(object), object, reason, action, note);
  }

  @SuppressWarnings("unchecked") // the class of a T
  private static <T extends KubernetesObject> ResourceType<T> typeOf(T object) {
    return ResourceType.of((Class<T>) object.getClass());
  }

  /**
   * Records an Event of type Normal.
   *
   * @param type the resource of the object
   * @param object the object, as stored
   * @param reason the reason, one word, such as {@code Mirrored}
   * @param action the action, one word, such as {@code Copy}
   * @param note a sentence; at most 1024 bytes of UTF-8 are kept
   */
  public <T extends KubernetesObject> void normal(
      ResourceType<T> type, T object, String reason, String action, String note) {
    record(type, object, "Normal", reason, action, note);
  }

  /** Records an Event of type Warning, as {@link #normal}. */
  public <T extends KubernetesObject> void warning(
      ResourceType<T> type, T object, String reason, String action, String note) {
    record(type, object, "Warning", reason, action, note);
  }

  /**
   * Returns how many Events were dropped because too many waited, because there were too many about
   * one object, or because the server refused them.
   */
  public long dropped() {
    lock.lock();
    try {
      return dropped;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether there is a thread, which there is while Events wait. */
  public boolean isWriting() {
    lock.lock();
    try {
      return writer != null;
    } finally {
      lock.unlock();
    }
  }

  private <T extends KubernetesObject> void record(
      ResourceType<T> resource, T object, String type, String reason, String action, String note) {
    var metadata = object.getMetadata();
    EventKey event =
        new EventKey(
            resource.apiVersion(),
            resource.kind(),
            orEmpty(metadata.getNamespace()),
            orEmpty(metadata.getName()),
            orEmpty(metadata.getUid()),
            type,
            reason,
            action,
            EventJson.note(note));
    lock.lock();
    try {
      if (closed) {
        dropped++;
        return;
      }
      count(event, clock.nanos());
    } finally {
      lock.unlock();
    }
  }

  private void count(EventKey original, long now) {
    EventKey event = original;
    Series existing = living(event, now);
    if (existing == null && !limits.countNote(event.withNote(""), now)) {
      event = event.withNote(COMBINED);
      existing = living(event, now);
    }
    boolean mayWait =
        waiting.containsKey(event)
            || (waiting.size() < MAX_WAITING && limits.tryTake(event.object(), now));
    if (existing == null) {
      if (!mayWait) {
        dropped++;
        return;
      }
      existing =
          new Series(
              EventJson.note(
                  event.note().equals(COMBINED) ? COMBINED + original.note() : event.note()));
      series.put(event, existing);
    }
    existing.count++;
    existing.lastSeen = now;
    if (mayWait) {
      waiting.put(event, existing);
      change.signal();
      if (writer == null) {
        writer = Thread.ofVirtual().name("coxswain-events " + controller).start(this::run);
      }
    }
  }

  private @Nullable Series living(EventKey event, long now) {
    Series existing = series.get(event);
    return existing == null || now - existing.lastSeen > SERIES_WINDOW.toNanos() ? null : existing;
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private record Due(EventKey event, Series series, long count) {}

  private void run() {
    boolean goesOn = true;
    while (goesOn) {
      try {
        Due due = next();
        goesOn = due != null;
        if (due != null) {
          write(due);
        }
      } catch (Throwable e) {
        // Only close() ends this. It interrupts long requests; any other interrupt was left by code
        // that runs in a request, a credential plug-in for instance.
        goesOn = !isClosed();
        userCode.failed("event writer failed, continuing", null, e);
      }
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for an Event to write, one at a time: an Event that was taken out no longer counts as
   * waiting. Null when none waits: the thread ends.
   */
  private @Nullable Due next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        Due due = takeDue();
        if (due != null) {
          return due;
        }
        if (waiting.isEmpty()) {
          writer = null;
          return null;
        }
        change.awaitNanos(TimeUnit.SECONDS.toNanos(1));
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Due takeDue() {
    long now = clock.nanos();
    Iterator<Map.Entry<EventKey, Series>> each = waiting.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<EventKey, Series> next = each.next();
      Series one = next.getValue();
      if (closed || one.written == 0 || now - one.lastWritten >= SERIES_PAUSE.toNanos()) {
        each.remove();
        return new Due(next.getKey(), one, one.count);
      }
    }
    return null;
  }

  private void write(Due due) {
    try {
      Series one = due.series;
      written(due, events.write(due.event, one.note, due.count, one.storedName), 0);
    } catch (ApiStatusException | LostOwnershipException e) {
      log.atDebug()
          .addKeyValue("controller", controller)
          .addKeyValue("reason", due.event.reason())
          .addKeyValue("problem", e.getMessage())
          .log("event could not be written, dropping it");
      written(due, due.series.storedName, 1);
    } catch (Throwable e) {
      // The writer continues with the next Event after any failure.
      userCode.failed("event could not be written, dropping it", due.event.reason(), e);
      written(due, due.series.storedName, 1);
    }
  }

  private void written(Due due, String storedName, int lost) {
    lock.lock();
    try {
      due.series.storedName = storedName;
      due.series.written = storedName.isEmpty() ? 0 : due.count;
      due.series.lastWritten = clock.nanos();
      dropped += lost;
    } finally {
      lock.unlock();
    }
  }

  /** Writes waiting Events, for two seconds at most, and stops. */
  @Override
  public void close() {
    Thread last;
    lock.lock();
    try {
      closed = true;
      change.signal();
      last = writer;
    } finally {
      lock.unlock();
    }
    if (last == null) {
      return;
    }
    try {
      if (!last.join(CLOSE_LIMIT)) {
        last.interrupt();
      }
    } catch (InterruptedException e) {
      last.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
