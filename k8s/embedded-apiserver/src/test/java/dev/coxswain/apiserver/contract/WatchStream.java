// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One watch of a scenario, read on a virtual thread. */
final class WatchStream implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final LinkedBlockingQueue<JsonNode> events = new LinkedBlockingQueue<>();
  private final HttpResponse<InputStream> response;
  private final Thread reader;

  WatchStream(HttpClient client, HttpRequest request) throws IOException, InterruptedException {
    response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    reader = Thread.ofVirtual().start(this::read);
  }

  int status() {
    return response.statusCode();
  }

  private void read() {
    try (var lines =
        new java.io.BufferedReader(
            new java.io.InputStreamReader(
                response.body(), java.nio.charset.StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          events.add(MAPPER.readTree(line));
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // a closed connection ends up here
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the next event, or null when there is none until the deadline. */
  @Nullable JsonNode next(long deadline, boolean bookmarks) throws InterruptedException {
    while (true) {
      long left = deadline - System.nanoTime();
      boolean over = left <= 0 || !reader.isAlive();
      JsonNode event =
          over ? events.poll() : events.poll(Math.min(left, 50_000_000), TimeUnit.NANOSECONDS);
      if (event == null && over) {
        return null;
      }
      if (event != null && (bookmarks || !event.path("type").asText().equals("BOOKMARK"))) {
        return event;
      }
    }
  }

  /** True when the stream ends until the deadline. */
  boolean closed(long deadline) throws InterruptedException {
    long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
    return reader.join(java.time.Duration.ofMillis(left));
  }

  @Override
  public void close() {
    try {
      response.body().close();
    } catch (IOException e) {
      reader.interrupt();
    }
  }
}
