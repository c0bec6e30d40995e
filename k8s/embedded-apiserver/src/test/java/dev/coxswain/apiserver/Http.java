// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A small client for the tests. */
final class Http implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String[] IDENTIFIED = {"User-Agent", "tests"};
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String server;
  private final String token;

  Http(EmbeddedApiServer server) {
    this(server.url());
  }

  Http(String server) {
    this(server, "");
  }

  private Http(String server, String token) {
    this.server = server;
    this.token = token;
  }

  /** Returns a client of the same server that sends a bearer token. */
  Http as(String bearer) {
    return new Http(server, bearer);
  }

  record Answer(int status, JsonNode body, HttpResponse<String> raw) {}

  Answer call(String method, String path, @Nullable String body, String type) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server + path))
            .timeout(LIMIT)
            .header("Content-Type", type)
            .headers(authorization())
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), parse(response.body()), response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode parse(String text) {
    try {
      return text.isEmpty() ? MissingNode.getInstance() : MAPPER.readTree(text);
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }

  private String[] authorization() {
    return token.isEmpty() ? IDENTIFIED : new String[] {"Authorization", "Bearer " + token};
  }

  Answer get(String path) {
    return call("GET", path, null, "application/json");
  }

  Answer post(String path, String body) {
    return call("POST", path, body, "application/json");
  }

  Answer merge(String path, String body) {
    return call("PATCH", path, body, "application/merge-patch+json");
  }

  Answer delete(String path) {
    return call("DELETE", path, null, "application/json");
  }

  Answer configMap(String name, String meta) {
    return post(
        "/api/v1/namespaces/default/configmaps",
        "{\"metadata\":{\"name\":\"" + name + "\"" + (meta.isEmpty() ? "" : "," + meta) + "}}");
  }

  /** An open watch. */
  static final class Watch implements AutoCloseable {
    private final LinkedBlockingQueue<JsonNode> events = new LinkedBlockingQueue<>();
    private final InputStream stream;
    private final Thread reader;

    Watch(InputStream stream) {
      this.stream = stream;
      this.reader = Thread.ofVirtual().start(this::read);
    }

    private void read() {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          events.add(MAPPER.readTree(line));
        }
      } catch (IOException e) {
        Thread.currentThread().interrupt(); // closed by the test
      }
    }

    @Nullable JsonNode next(Duration limit) throws InterruptedException {
      return events.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    JsonNode next() throws InterruptedException {
      JsonNode event = next(LIMIT);
      if (event == null) {
        throw new AssertionError("no event within " + LIMIT);
      }
      return event;
    }

    boolean ends() throws InterruptedException {
      return reader.join(LIMIT);
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  Watch watch(String path) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(server + path)).build();
    try {
      return new Watch(client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until something holds. */
  static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + LIMIT + ": " + what);
      }
      Thread.sleep(10); // polling interval, not a guess at a duration
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
