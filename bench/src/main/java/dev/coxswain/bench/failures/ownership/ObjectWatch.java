// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.testing.process.Commands;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Every version of the suite's objects, as a watch of the API server shows them. While the server
 * is away versions may be missed; those that a replica wrote are in its recording.
 */
final class ObjectWatch implements AutoCloseable {
  private static final long PAUSE_MILLIS = 50;

  private final ServerCalls calls;
  private final Map<String, Seen> latest = new ConcurrentHashMap<>();
  private final Queue<HistoryEntry> history = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean closed;

  /** The latest state of an object. */
  private record Seen(long generation, long observed) {}

  ObjectWatch(ServerCalls calls) {
    this.calls = calls;
    this.thread = Thread.ofPlatform().daemon().name("watch").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    String version = "";
    try {
      while (!closed) {
        version = step(version);
        Commands.pause(PAUSE_MILLIS);
      }
    } catch (IOException _) {
      // closed
    }
  }

  /** Lists when there is no version yet, and watches; the same version when the server is away. */
  private String step(String from) {
    String version = from;
    try {
      if (version.isEmpty()) {
        JsonObject list = calls.list();
        ServerCalls.items(list).forEach(this::see);
        version = list.getJsonObject("metadata").getString("resourceVersion");
      }
    } catch (IOException _) {
      return version;
    }
    try (BufferedReader events = calls.watch(version)) {
      return follow(events, version);
    } catch (IOException _) {
      return ""; // refused, or the server is away
    }
  }

  /** Follows one watch to its end and returns from where to go on; empty to list again. */
  private String follow(BufferedReader events, String from) {
    String version = from;
    try {
      for (String line = events.readLine(); line != null; line = events.readLine()) {
        JsonObject event = new JsonObject(line);
        if (event.getString("type").equals("ERROR")) {
          return "";
        }
        JsonObject object = event.getJsonObject("object");
        version = object.getJsonObject("metadata").getString("resourceVersion");
        see(object);
      }
    } catch (IOException | DecodeException _) {
      // the connection ended
    }
    return version;
  }

  private void see(JsonObject object) {
    JsonObject metadata = object.getJsonObject("metadata");
    String key = metadata.getString("name");
    JsonObject status = object.getJsonObject("status", new JsonObject());
    long observed = status.getLong("observedGeneration", 0L);
    latest.put(key, new Seen(metadata.getLong("generation", 0L), observed));
    if (observed != 0) {
      history.add(
          new HistoryEntry(
              key,
              Long.parseLong(metadata.getString("resourceVersion")),
              status.getLong("epoch"),
              status.getLong("begin"),
              status.getString("process"),
              System.nanoTime()));
    }
  }

  /** Returns every state that was seen with a status. */
  Collection<HistoryEntry> history() {
    return List.copyOf(history);
  }

  /**
   * Returns the objects whose latest generation has not been reconciled.
   *
   * @param failing those that are not to be
   */
  List<String> unreconciled(Collection<String> failing) {
    List<String> behind = new ArrayList<>();
    latest.forEach((key, seen) -> {
      if (seen.observed() < seen.generation() && !failing.contains(key)) {
        behind.add(key);
      }
    });
    return behind;
  }

  int count() {
    return latest.size();
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
