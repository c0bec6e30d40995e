// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A running admin API with one fake controller named {@code demo}, and a client for it that holds
 * every answer against the OpenAPI document.
 */
public final class Api implements AutoCloseable {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  public static final String DEMO = "/api/v1/controllers/demo";

  // A busy machine must not look like a blocked thread in the log, which tests read.
  public final Vertx vertx =
      Vertx.vertx(
          new VertxOptions()
              .setEventLoopPoolSize(2)
              .setBlockedThreadCheckInterval(1)
              .setBlockedThreadCheckIntervalUnit(TimeUnit.DAYS));
  public final FakeController demo = new FakeController("demo");
  public final FakeDirectory directory;
  public final AdminVerticle verticle;
  public final int port;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public Api() {
    this(options -> options);
  }

  public Api(UnaryOperator<AdminOptions> options) {
    this(AccessControl.open(), Clock.system(), options);
  }

  public Api(AccessControl access, Clock clock, UnaryOperator<AdminOptions> options) {
    this(access, clock, options, Intervals.DEFAULT);
  }

  public Api(
      AccessControl access, Clock clock, UnaryOperator<AdminOptions> options, Intervals pace) {
    this("coxswain-0", access, clock, options, pace);
  }

  public Api(
      String replica,
      AccessControl access,
      Clock clock,
      UnaryOperator<AdminOptions> options,
      Intervals pace) {
    this(replica, access, clock, options, AdminPorts.DEFAULT, pace);
  }

  public Api(
      String replica,
      AccessControl access,
      Clock clock,
      UnaryOperator<AdminOptions> options,
      AdminPorts ports,
      Intervals pace) {
    directory = new FakeDirectory(replica);
    directory.handles.put("demo", demo);
    // Tests are faster than callers may be.
    AdminOptions defaults =
        AdminOptions.DEFAULT.withPort(0).withReadsPerSecond(10_000).withChangesPerSecond(10_000);
    verticle = new AdminVerticle(options.apply(defaults), directory, access, clock, ports, pace);
    vertx.deployVerticle(verticle).await();
    port = verticle.actualPort();
  }

  /** An answer, with its body as a tree. */
  public record Answer(HttpResponse<String> http) {
    public int status() {
      return http.statusCode();
    }

    public JsonNode json() {
      try {
        return MAPPER.readTree(http.body());
      } catch (IOException e) {
        throw new UncheckedIOException(http.body(), e);
      }
    }

    public String header(String name) {
      return http.headers().firstValue(name).orElse("");
    }

    /** Asserts that this is a problem with everything a problem must have, and returns it. */
    public JsonNode problem(int status, String slug) {
      assertThat(status()).as(http.body()).isEqualTo(status);
      assertThat(header("Content-Type")).isEqualTo("application/problem+json");
      JsonNode json = json();
      assertThat(json.path("type").asText()).isEqualTo(Problem.TYPE_BASE + slug);
      assertThat(json.path("status").asInt()).isEqualTo(status);
      assertThat(json.path("title").asText()).isNotEmpty();
      assertThat(json.path("detail").asText()).isNotEmpty();
      assertThat(json.path("instance").asText()).startsWith("/");
      assertThat(json.path("requestId").asText()).isEqualTo(header("X-Request-Id"));
      assertThat(http.body()).doesNotContain("secret internals").doesNotContain("Exception");
      return json;
    }

    /** Asserts success and returns the body. */
    public JsonNode ok(int status) {
      assertThat(status()).as(http.body()).isEqualTo(status);
      assertThat(header("Content-Type")).isEqualTo("application/json");
      return json();
    }
  }

  /** The document, fetched once; every answer that {@link #send} gets must be as it says. */
  private static final class Promised {
    static final Contract CONTRACT = fetch();

    private static Contract fetch() {
      try (Api api = new Api()) {
        var request = api.request("/api/v1/openapi.json").build();
        return new Contract(api.client.send(request, BodyHandlers.ofString()).body());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  /** Opens an answer that may never end; whoever closes the stream closes the connection. */
  public HttpResponse<InputStream> open(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(60));
  }

  public Answer send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
      Promised.CONTRACT.check(answer);
      return new Answer(answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public Answer get(String path) {
    return send(request(path));
  }

  public Answer change(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        request(path)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request);
  }

  public Answer post(String path, String body, String... headers) {
    return change("POST", path, body, headers);
  }

  /** Carries out an operation and returns it when it is over. */
  public JsonNode operate(String path, String order) {
    return ended(post(path, order).ok(202));
  }

  /** Waits for the end of an operation. */
  public JsonNode ended(JsonNode operation) {
    String address = "/api/v1/operations/" + operation.path("id").asText();
    Await.until(() -> !get(address).ok(200).path("state").asText().equals("Running"));
    return get(address).ok(200);
  }

  /** Returns an order with the token of its preview. */
  public String confirmed(String path, String order) {
    String token =
        post(path, "{\"dryRun\":true," + order.substring(1)).ok(200).path("confirmToken").asText();
    return "{\"confirmToken\":\"" + token + "\"," + order.substring(1);
  }

  /** Sends bytes as they are and returns all that comes back until the end or a time limit. */
  public String raw(String text) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the method and the path of each route. */
  Set<String> mounted() {
    Set<String> routes = new TreeSet<>();
    get("/api/v1")
        .ok(200)
        .path("routes")
        .forEach(r -> routes.add(r.path("method").asText() + " " + r.path("path").asText()));
    return routes;
  }

  public static String item(String id) {
    return DEMO + "/items/" + id;
  }

  @Override
  public void close() {
    try {
      client.shutdownNow(); // a stream of events would keep it open
      client.close();
      vertx.close().await(60, TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException("Vert.x did not close", e);
    } finally {
      demo.close();
    }
  }
}
