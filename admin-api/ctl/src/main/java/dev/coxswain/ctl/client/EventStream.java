// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import dev.coxswain.ctl.cli.Console;
import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.print.Json;
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
 * Listens to what changes. A connection that is lost is made again, and the stream goes on after
 * the last event that was heard.
 */
public final class EventStream {

  /** Three times as long as the server is ever silent. */
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
  private boolean heardNow;
  private boolean heardEver;
  private boolean ended;
  private Set<String> missing = new TreeSet<>();

  public static final String SYNCED = "synced";
  public static final String RESET = "reset";
  public static final String PARTIAL = "partial";

  /** Is told of one event after the other. */
  public @FunctionalInterface interface Listener {
    void event(String name, Json object);

    /** Nothing more is there to be told at the moment. */
    default void idle() {}
  }

  /**
   * Creates a stream, which {@link #follow} begins.
   *
   * @param parameters of the stream
   * @param watch whether to go on when the state of everything was told
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
   * Listens until everything was told, or when watching until nobody can be listened to any more.
   *
   * @return whether every replica was heard
   */
  public boolean follow() {
    int failures = 0;
    Duration pause = FIRST_PAUSE;
    while (true) {
      heardNow = false;
      String why = listen();
      if (ended) {
        return missing.isEmpty();
      }
      if (heardNow) {
        failures = 0;
        pause = FIRST_PAUSE;
      }
      failures++;
      if (failures > MAX_FAILURES) {
        throw new CtlException("the stream of events is lost: " + why);
      }
      console.note("connecting again: " + why);
      console.waitFor(pause);
      pause = pause.multipliedBy(2);
      if (pause.compareTo(LONGEST_PAUSE) > 0) {
        pause = LONGEST_PAUSE;
      }
      client.renew();
    }
  }

  /** Listens until the connection ends, and returns why it did. */
  private String listen() {
    Map<String, String> headers = lastId.isEmpty() ? Map.of() : Map.of("Last-Event-ID", lastId);
    try (InputStream in = client.open(path, "text/event-stream", headers, SILENCE);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      read(lines);
      return "the stream ended";
    } catch (IOException e) {
      if (!heardEver) {
        throw client.connectionError(true, SILENCE, e);
      }
      return CtlException.reason(e);
    } catch (CtlException e) {
      if (!heardEver) {
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
    heardNow = true;
    heardEver = true;
    switch (name) {
      case SYNCED -> {
        ended = !watch;
      }
      case RESET ->
          console.note(
              "events"
                  + (object.has("replica") ? " of replica " + object.text("replica") : "")
                  + " were missed; the state of everything there follows");
      case PARTIAL -> partial(object);
      case "unauthorized" -> console.note("the token is not good any longer");
      default -> {}
    }
    listener.event(name, object);
  }

  /** Tells which replicas are not heard, whenever that changes. */
  private void partial(Json object) {
    Set<String> before = missing;
    Set<String> left = new TreeSet<>(before);
    missing = new TreeSet<>();
    for (Json replica : object.list("replicas")) {
      left.remove(replica.text("replica"));
      if (!replica.text("state").equals("ok")) {
        String who = "replica " + replica.text("replica") + " is not heard: ";
        missing.add(replica.text("replica"));
        if (!before.contains(replica.text("replica"))) {
          String why = replica.text("error");
          console.warn(who + replica.text("state") + (why.isEmpty() ? "" : " (" + why + ")"));
        }
      }
    }
    // Whoever is named no more was forgotten by the others; nobody hears it again.
    left.forEach(replica -> console.note("replica " + replica + " has left"));
    if (missing.isEmpty() && left.size() < before.size()) {
      console.note("every replica is heard again");
    }
  }
}
