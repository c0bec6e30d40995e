// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An open stream of events, read line by line. */
public final class EventListener implements AutoCloseable {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final BufferedReader reader;
  private int heartbeats;

  /** How many characters were read. */
  public long read;

  /** One event; what it does not have is empty. */
  public record Event(String id, String name, String data) {

    public JsonNode json() {
      try {
        return MAPPER.readTree(data);
      } catch (IOException e) {
        throw new UncheckedIOException(data, e);
      }
    }

    public String replica() {
      return json().path("replica").asText();
    }

    /** Returns up to which number a replica was heard; -1 when the id does not say. */
    public long number(String replica) {
      for (String part : id.split(",", -1)) {
        if (part.startsWith(replica + "=")) {
          return Long.parseLong(part.substring(part.lastIndexOf('-') + 1));
        }
      }
      return -1;
    }
  }

  public EventListener(Api api, String query, String... headers) {
    HttpRequest.Builder request = api.request("/api/v1/events" + query);
    if (headers.length > 0) {
      request.headers(headers);
    }
    var answer = api.open(request);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    assertThat(answer.headers().firstValue("X-Accel-Buffering")).hasValue("no");
    reader = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
  }

  /** Returns the next event, or null at the end of the stream. */
  public @Nullable Event next() throws IOException {
    String id = "";
    String name = "";
    String data = "";
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      read += line.length() + 1;
      if (line.startsWith("id: ")) {
        id = line.substring(4);
      } else if (line.startsWith("event: ")) {
        name = line.substring(7);
      } else if (line.startsWith("data: ")) {
        data = line.substring(6);
      } else if (line.equals(":hb")) {
        heartbeats++;
      } else if (line.isEmpty() && !name.isEmpty()) {
        return new Event(id, name, data);
      }
    }
    return null;
  }

  /** Returns the next event, which there must be. */
  public Event some() throws IOException {
    Event event = next();
    if (event == null) {
      throw new AssertionError("the stream ended");
    }
    return event;
  }

  /** Returns the names of the next events. */
  public List<String> nextNames(int number) throws IOException {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      names.add(some().name());
    }
    return names;
  }

  public Event await(String name) throws IOException {
    return await(name, event -> true);
  }

  public Event await(String name, Predicate<Event> which) throws IOException {
    return until(name, which).getLast();
  }

  /** Returns all events up to one. */
  public List<Event> until(String name, Predicate<Event> which) throws IOException {
    List<Event> heard = new ArrayList<>();
    for (Event event = next(); event != null; event = next()) {
      heard.add(event);
      if (event.name().equals(name) && which.test(event)) {
        return heard;
      }
    }
    throw new AssertionError("the stream ended before " + name + ", after " + heard);
  }

  public void awaitHeartbeats(int number) throws IOException {
    while (heartbeats < number) {
      String line = Objects.requireNonNull(reader.readLine(), "line");
      if (line.equals(":hb")) {
        heartbeats++;
      }
    }
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
