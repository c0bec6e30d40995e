// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.events;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.ResourceType;
import dev.coxswain.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.EventsV1Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Events about objects, in the background and at best effort: an Event that cannot be
 * written is dropped and counted, and never disturbs reconciling.
 *
 * <p>The same thing said again about the same object within {@link #SERIES_WINDOW} becomes one
 * Event with a count, written at most every {@link #SERIES_PAUSE}.
 *
 * <p>Thread rule: any thread; nothing blocks but {@link #close}.
 *
 * <h2>Bounds</h2>
 *
 * What waits to be written and what is remembered for counting are both limited by a number of
 * different Events; repetitions cost nothing.
 */
public final class EventRecorder implements AutoCloseable {

  /** How long after its last repetition an Event is counted on instead of written anew. */
  public static final Duration SERIES_WINDOW = Duration.ofMinutes(6);

  /** How often the count of one Event is written at most. */
  public static final Duration SERIES_PAUSE = Duration.ofSeconds(5);

  /** How many different Events may wait; more are dropped. */
  public static final int MAX_WAITING = 1_000;

  private static final int MAX_REMEMBERED = 4_096;
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);
  private static final ResourceType<EventsV1Event> EVENTS = ResourceType.of(EventsV1Event.class);

  private final ApiTransport transport;
  private final String controller;
  private final String instance;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final Map<Event, Series> series =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Event, Series> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };
  private final Map<Event, Series> waiting = new LinkedHashMap<>();
  private final Thread writer;
  private long dropped;
  private boolean closed;

  /** What is said about which object; equal ones are counted. */
  private record Event(
      String apiVersion,
      String kind,
      String namespace,
      String name,
      String uid,
      String type,
      String reason,
      String action,
      String note) {}

  private static final class Series {
    long count;
    long written;
    String storedName = "";
    long lastSeen;
    long lastWritten;
  }

  /**
   * Creates a recorder.
   *
   * @param transport the way to the API server
   * @param controller who reports, such as {@code coxswain.dev/demo}
   * @param instance which instance of it, such as the name of the pod
   * @param clock the time
   */
  public EventRecorder(ApiTransport transport, String controller, String instance, Clock clock) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.controller = controller;
    this.instance = instance;
    this.clock = clock;
    this.writer = Thread.ofVirtual().name("coxswain-events " + controller).start(this::run);
  }

  /**
   * Reports that something went as it should.
   *
   * @param type the resource of the object
   * @param object the object that it is about, as stored
   * @param reason one word for programs, such as {@code Mirrored}
   * @param action what was being done, one word, such as {@code Copy}
   * @param note a sentence for people, at most 1024 characters are kept
   */
  public <T extends KubernetesObject> void normal(
      ResourceType<T> type, T object, String reason, String action, String note) {
    record(type, object, "Normal", reason, action, note);
  }

  /** Reports that something went wrong; otherwise as {@link #normal}. */
  public <T extends KubernetesObject> void warning(
      ResourceType<T> type, T object, String reason, String action, String note) {
    record(type, object, "Warning", reason, action, note);
  }

  /** Returns how many Events were dropped because too many waited or the server refused them. */
  public long dropped() {
    lock.lock();
    try {
      return dropped;
    } finally {
      lock.unlock();
    }
  }

  private <T extends KubernetesObject> void record(
      ResourceType<T> resource, T object, String type, String reason, String action, String note) {
    var metadata = object.getMetadata();
    Event event =
        new Event(
            resource.apiVersion(),
            resource.kind(),
            orEmpty(metadata.getNamespace()),
            orEmpty(metadata.getName()),
            orEmpty(metadata.getUid()),
            type,
            reason,
            action,
            note.length() > 1_024 ? note.substring(0, 1_024) : note);
    lock.lock();
    try {
      if (closed || (waiting.size() >= MAX_WAITING && !waiting.containsKey(event))) {
        dropped++;
        return;
      }
      long now = clock.nanos();
      Series known = series.get(event);
      if (known == null || now - known.lastSeen > SERIES_WINDOW.toNanos()) {
        known = new Series();
        series.put(event, known);
      }
      known.count++;
      known.lastSeen = now;
      waiting.put(event, known);
      change.signal();
    } finally {
      lock.unlock();
    }
  }

  private static String orEmpty(@org.jspecify.annotations.Nullable String text) {
    return text == null ? "" : text;
  }

  private record Due(Event event, Series series, long count) {}

  private void run() {
    try {
      while (true) {
        List<Due> due = new ArrayList<>();
        lock.lockInterruptibly();
        try {
          while (due.isEmpty()) {
            collect(due);
            if (due.isEmpty() && closed) {
              return;
            }
            if (due.isEmpty()) {
              change.awaitNanos(TimeUnit.SECONDS.toNanos(waiting.isEmpty() ? 3_600 : 1));
            }
          }
        } finally {
          lock.unlock();
        }
        due.forEach(this::write);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void collect(List<Due> due) {
    long now = clock.nanos();
    Iterator<Map.Entry<Event, Series>> each = waiting.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<Event, Series> next = each.next();
      Series one = next.getValue();
      if (closed || one.written == 0 || now - one.lastWritten >= SERIES_PAUSE.toNanos()) {
        due.add(new Due(next.getKey(), one, one.count));
        each.remove();
      }
    }
  }

  private void write(Due due) {
    String namespace = due.event.namespace.isEmpty() ? "default" : due.event.namespace;
    String stored = due.series.storedName;
    try {
      if (stored.isEmpty()) {
        stored = EventJson.name(due.event.name, clock.instant());
        transport.write(
            "POST",
            EVENTS.path(namespace),
            Map.of(),
            fresh(due, namespace, stored),
            ApiTransport.JSON);
      } else {
        transport.write(
            "PATCH",
            EVENTS.path(namespace, stored),
            Map.of(),
            EventJson.series(due.count, clock.instant()),
            ApiTransport.MERGE_PATCH);
      }
      written(due, stored, 0);
    } catch (ApiStatusException e) {
      log.atDebug()
          .addKeyValue("controller", controller)
          .addKeyValue("reason", due.event.reason)
          .addKeyValue("problem", e.getMessage())
          .log("event could not be written and is dropped");
      // An Event that has expired at the server is begun anew by the next repetition.
      written(due, e.isNotFound() ? "" : due.series.storedName, 1);
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

  private JsonObject fresh(Due due, String namespace, String name) {
    JsonObject regarding = new JsonObject();
    regarding.addProperty("apiVersion", due.event.apiVersion);
    regarding.addProperty("kind", due.event.kind);
    regarding.addProperty("name", due.event.name);
    if (!due.event.namespace.isEmpty()) {
      regarding.addProperty("namespace", due.event.namespace);
    }
    if (!due.event.uid.isEmpty()) {
      regarding.addProperty("uid", due.event.uid);
    }
    JsonObject event = EventJson.fresh(namespace, name, clock.instant(), due.count);
    event.add("regarding", regarding);
    event.addProperty("type", due.event.type);
    event.addProperty("reason", due.event.reason);
    event.addProperty("action", due.event.action);
    event.addProperty("note", due.event.note);
    event.addProperty("reportingController", controller);
    event.addProperty("reportingInstance", instance);
    return event;
  }

  /** Writes what waits, for two seconds at most, and stops. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      change.signal();
    } finally {
      lock.unlock();
    }
    try {
      if (!writer.join(CLOSE_LIMIT)) {
        writer.interrupt();
      }
    } catch (InterruptedException e) {
      writer.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
