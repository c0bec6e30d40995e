// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.AccessControl.Ports;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Authenticator;
import dev.coxswain.admin.auth.Authorizer;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.queue.Phase;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.time.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class EventsTest {

  private static final Pace FAST =
      new Pace(
          Duration.ofSeconds(10),
          Duration.ofMillis(20),
          Duration.ofMillis(500),
          Duration.ofMillis(100));

  private static Api api() {
    return api(options -> options);
  }

  private static Api api(UnaryOperator<AdminOptions> options) {
    return new Api(AccessControl.open(), Clock.system(), options, FAST);
  }

  private record Event(String id, String name, String data) {
    JsonNode json() throws IOException {
      return new ObjectMapper().readTree(data);
    }
  }

  /** An open stream, read line by line. */
  private static final class Listener implements AutoCloseable {
    private final BufferedReader reader;
    int heartbeats;

    Listener(Api api, String query, String... headers) {
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
    @org.jspecify.annotations.Nullable Event next() throws IOException {
      String id = "";
      String name = "";
      String data = "";
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
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

    Event await(String name) throws IOException {
      Event event = next();
      while (event != null && !event.name().equals(name)) {
        event = next();
      }
      if (event == null) {
        throw new AssertionError("the stream ended before " + name);
      }
      return event;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }

  private static BudgetSnapshot limiter(String name, int granted) {
    return new BudgetSnapshot(name, "local", 10, 100, 1, 0, granted, 0, List.of("demo"));
  }

  @Test
  void aNewStream_hearsTheStateOfEverything_andThenWhatChanges() throws IOException {
    try (Api api = api()) {
      api.demo.put("a", "b", Phase.READY, 0, null);
      api.directory.budgets.add(limiter("default", 1));
      try (Listener stream = new Listener(api, "")) {
        Event first = stream.await("controller");
        assertThat(first.json().path("controller").asText()).isEqualTo("demo");
        assertThat(first.json().at("/counts/ready").asInt()).isEqualTo(1);
        assertThat(stream.await("limiter").json().path("name").asText()).isEqualTo("default");
        assertThat(stream.await("synced").id()).matches("[0-9a-f]{16}-[0-9]+");
        api.demo.put("a", "c", Phase.DELAYED, 2, "boom");
        Event change = stream.await("controller");
        assertThat(change.id()).matches("[0-9a-f]{16}-[0-9]+");
        assertThat(change.json().at("/counts/delayed").asInt()).isEqualTo(1);
        assertThat(change.json().path("failing").asInt()).isEqualTo(1);
        api.directory.handles.clear();
        assertThat(stream.await("controller").json().path("state").asText()).isEqualTo("gone");
      }
    }
  }

  @Test
  void aKnownLastEventId_goesOnWhereItWas() throws IOException {
    try (Api api = api()) {
      String id;
      try (Listener stream = new Listener(api, "")) {
        id = stream.await("synced").id();
      }
      api.demo.put("a", "b", Phase.READY, 0, null);
      try (Listener stream = new Listener(api, "", "Last-Event-ID", id)) {
        Event event = Objects.requireNonNull(stream.next(), "event");
        assertThat(event.name()).isEqualTo("controller");
        assertThat(event.json().at("/counts/ready").asInt()).isEqualTo(1);
        assertThat(Long.parseLong(event.id().substring(17)))
            .isEqualTo(Long.parseLong(id.substring(17)) + 1);
      }
    }
  }

  @Test
  void anUnknownLastEventId_isToldToBeginAnew() throws IOException {
    try (Api api = api()) {
      for (String id : new String[] {"nonsense", "0123456789abcdef-1"}) {
        try (Listener stream = new Listener(api, "", "Last-Event-ID", id)) {
          Event event = Objects.requireNonNull(stream.next(), "event");
          assertThat(event.name()).isEqualTo("reset");
          stream.await("controller");
          stream.await("synced");
        }
      }
    }
  }

  @Test
  void topicsAndController_leaveTheRestOut() throws IOException {
    try (Api api = api();
        FakeController other = new FakeController("other")) {
      api.directory.handles.put("other", other);
      api.directory.budgets.add(limiter("default", 1));
      List<String> heard = new ArrayList<>();
      try (Listener stream = new Listener(api, "?topics=controllers&controller=other")) {
        for (Event event = stream.next();
            event != null && !event.name().equals("synced");
            event = stream.next()) {
          heard.add(event.name() + " " + event.json().path("controller").asText());
        }
      }
      assertThat(heard).containsExactly("controller other");
      api.get("/api/v1/events?topics=weather").problem(400, "invalid-query");
      api.get("/api/v1/events?topics=").problem(400, "invalid-query");
    }
  }

  @Test
  void anOperation_isHeardOf_untilItIsOver() throws IOException {
    try (Api api = api();
        Listener stream = new Listener(api, "?topics=operations")) {
      assertThat(Objects.requireNonNull(stream.next(), "event").name()).isEqualTo("synced");
      Promise<BulkResult> held = Promise.promise();
      api.demo.heldBulk = held;
      api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
      JsonNode begun =
          api.post(
                  Api.DEMO + "/operations", "{\"action\":\"forget\",\"all\":true,\"reason\":\"x\"}")
              .ok(202);
      JsonNode first = stream.await("operation").json();
      assertThat(first.path("id")).isEqualTo(begun.path("id"));
      assertThat(first.path("controller").asText()).isEqualTo("demo");
      assertThat(first.path("state").asText()).isEqualTo("Running");
      api.demo.progress = new BulkProgress(10, 4, Map.of(), 0, 0, 0);
      JsonNode second = stream.await("operation").json();
      assertThat(second.path("applied").asInt()).isEqualTo(4);
      assertThat(second.path("remaining").asInt()).isEqualTo(6);
      held.complete(
          new BulkResult(
              false,
              BulkResult.Ending.COMPLETE,
              new BulkProgress(10, 10, Map.of(), 0, 0, 0),
              null,
              Map.of(),
              Map.of(),
              List.of(),
              1));
      JsonNode last = stream.await("operation").json();
      assertThat(last.path("state").asText()).isEqualTo("Succeeded");
      assertThat(last.path("endedAt").asText()).endsWith("Z");
    }
  }

  @Test
  void heartbeats_keepTheConnectionBeyondItsIdleTimeout() throws IOException {
    try (Api api = api(options -> options.withIdleTimeout(Duration.ofSeconds(4)));
        Listener stream = new Listener(api, "")) {
      stream.await("synced");
      while (stream.heartbeats < 12) {
        if (stream.reader.readLine().equals(":hb")) {
          stream.heartbeats++;
        }
      }
      api.demo.put("a", "b", Phase.READY, 0, null);
      stream.await("controller");
    }
  }

  @Test
  void aFifthStreamOfOneCaller_isRefused_untilOneIsClosed() throws IOException {
    try (Api api = api()) {
      List<Listener> streams = new ArrayList<>();
      for (int i = 0; i < EventFeed.MAX_STREAMS_PER_CALLER; i++) {
        streams.add(new Listener(api, ""));
      }
      var refused = api.get("/api/v1/events");
      refused.problem(429, "too-many-streams");
      assertThat(refused.header("Retry-After")).isNotEmpty();
      streams.removeFirst().close();
      Await.until(() -> isFree(api));
      for (Listener stream : streams) {
        stream.close();
      }
    }
  }

  /** Whether one more stream may be opened; HEAD asks without opening one. */
  private static boolean isFree(Api api) {
    return api.send(
                api.request("/api/v1/events").method("HEAD", HttpRequest.BodyPublishers.noBody()))
            .status()
        == 200;
  }

  @Test
  void aCallerWhoMayNoLongerListen_isToldSo_andTheStreamEnds() throws IOException {
    AtomicBoolean allowed = new AtomicBoolean(true);
    Authenticator only =
        token ->
            Future.succeededFuture(
                allowed.get()
                    ? new Authentication.Accepted(Principal.of("alice"), Duration.ofHours(1))
                    : new Authentication.Rejected());
    Authorizer all = (principal, wanted) -> Future.succeededFuture(true);
    try (Api api =
            new Api(
                AccessControl.local("test", "ask the test", new Ports(only, all)),
                Clock.system(),
                options -> options,
                FAST);
        Listener stream = new Listener(api, "", "Authorization", "Bearer token")) {
      stream.await("synced");
      allowed.set(false);
      stream.await("unauthorized");
      assertThat(stream.next()).isNull();
    }
  }

  @Test
  void clientsThatDoNotRead_areDroppedWhenTheRingHasMovedOn() throws IOException {
    try (Api api = api()) {
      List<Socket> slow = new ArrayList<>();
      for (int i = 0; i < EventFeed.MAX_STREAMS_PER_CALLER; i++) {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.port));
        socket
            .getOutputStream()
            .write(
                "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        slow.add(socket);
      }
      assertThat(isFree(api)).isFalse();
      List<String> many = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        many.add("consumer-with-a-long-name-" + i);
      }
      int[] round = {0};
      Await.until(() -> {
        round[0]++;
        for (int i = 0; i < 100; i++) {
          api.directory.budgets.add(
              new BudgetSnapshot("limiter-" + i, "local", 10, 100, 1, 0, round[0], 0, many));
          if (api.directory.budgets.size() > 100) {
            api.directory.budgets.removeFirst();
          }
        }
        return isFree(api);
      });
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }
}
