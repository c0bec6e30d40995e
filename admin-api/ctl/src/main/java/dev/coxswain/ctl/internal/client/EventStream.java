// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A stream of server-sent events. After a lost connection it reconnects and continues after the
 * last received event.
 */
public final class EventStream {

  /** Three times the heartbeat interval of the server. */
  private static final Duration SILENCE = Duration.ofSeconds(45);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final int MAX_FAILURES = 30;

  private final AdminClient client;
  private final Console console;
  private final String path;
  private final boolean watch;
  private final Listener listener;
  private String lastId = "";
  private boolean receivedNow;
  private boolean receivedEver;
  private boolean ended;
  private Set<String> missing = new TreeSet<>();

  public static final String SYNCED = "synced";
  public static final String RESET = "reset";
  public static final String PARTIAL = "partial";

  /** Receives events in order. */
  public @FunctionalInterface interface Listener {
    void event(String name, Json object);

    /** Called when no further event has arrived yet. */
    default void idle() {}
  }

  /**
   * Creates a stream, which {@link #follow} begins.
   *
   * @param parameters of the stream
   * @param watch whether to continue after the initial state
   */
  public EventStream(
      AdminClient client,
      Console console,
      Map<String, String> parameters,
      boolean watch,
      Listener listener) {
    this.client = client;
    this.console = console;
    this.path = AdminClient.path("events") + AdminClient.query(parameters);
    this.watch = watch;
    this.listener = listener;
  }

  /**
   * Reads to the end of the initial state or, when watching, until no connection can be made.
   *
   * @return whether all replicas were included
   */
  public boolean follow() {
    int failures = 0;
    Duration pause = FIRST_PAUSE;
    while (true) {
      receivedNow = false;
      String why = readConnection();
      if (ended) {
        return missing.isEmpty();
      }
      if (receivedNow) {
        failures = 0;
        pause = FIRST_PAUSE;
      }
      failures++;
      if (failures > MAX_FAILURES) {
        throw new CommandException("event stream lost: " + why);
      }
      console.note("reconnecting: " + why);
      console.waitFor(pause);
      pause = pause.multipliedBy(2);
      if (pause.compareTo(LONGEST_PAUSE) > 0) {
        pause = LONGEST_PAUSE;
      }
      client.renew();
    }
  }

  /** Reads until the connection ends, and returns the cause. */
  private String readConnection() {
    Map<String, String> headers = lastId.isEmpty() ? Map.of() : Map.of("Last-Event-ID", lastId);
    try (InputStream in = client.open(path, "text/event-stream", headers, SILENCE);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      read(lines);
      return "the stream ended";
    } catch (IOException e) {
      if (!receivedEver) {
        throw client.connectionError(true, SILENCE, e);
      }
      return CommandException.reason(e);
    } catch (CommandException e) {
      if (!receivedEver) {
        throw e;
      }
      return String.valueOf(e.getMessage()); // no pod is ready at the moment
    }
  }

  private void read(BufferedReader lines) throws IOException {
    String name = "";
    String id = "";
    StringBuilder data = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.isEmpty()) {
        if (!data.isEmpty()) {
          lastId = id.isEmpty() ? lastId : id;
          event(name, Json.parse(data.toString()));
          if (!lines.ready()) {
            listener.idle();
          }
        }
        name = "";
        data.setLength(0);
        if (ended) {
          return;
        }
      } else if (line.startsWith("event:")) {
        name = line.substring("event:".length()).strip();
      } else if (line.startsWith("data:")) {
        data.append(line.substring("data:".length()).strip());
      } else if (line.startsWith("id:")) {
        id = line.substring("id:".length()).strip();
      }
    }
  }

  private void event(String name, Json object) {
    receivedNow = true;
    receivedEver = true;
    switch (name) {
      case SYNCED -> {
        ended = !watch;
      }
      case RESET ->
          console.note(
              "events"
                  + (object.has("replica") ? " of replica " + object.text("replica") : "")
                  + " were missed; the full state follows");
      case PARTIAL -> partial(object);
      case "unauthorized" -> console.note("the token is no longer valid");
      default -> {}
    }
    listener.event(name, object);
  }

  /** Prints which replicas are missing from the stream, on each change. */
  private void partial(Json object) {
    Set<String> before = missing;
    Set<String> left = new TreeSet<>(before);
    missing = new TreeSet<>();
    for (Json replica : object.list("replicas")) {
      left.remove(replica.text("replica"));
      if (!replica.text("state").equals("ok")) {
        String warning = "no events from replica " + replica.text("replica") + ": ";
        missing.add(replica.text("replica"));
        if (!before.contains(replica.text("replica"))) {
          String why = replica.text("error");
          console.warn(warning + replica.text("state") + (why.isEmpty() ? "" : " (" + why + ")"));
        }
      }
    }
    // A replica that is no longer listed does not come back.
    left.forEach(replica -> console.note("replica " + replica + " has left"));
    if (missing.isEmpty() && left.size() < before.size()) {
      console.note("receiving events from all replicas again");
    }
  }
}
