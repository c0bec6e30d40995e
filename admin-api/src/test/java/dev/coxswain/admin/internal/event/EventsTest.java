// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.EventListener;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.AccessControl.Ports;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Authenticator;
import dev.coxswain.admin.auth.Authorizer;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class EventsTest {

  private static final Intervals FAST =
      new Intervals(
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

  private static BudgetSnapshot limiter(String name, int granted) {
    return new BudgetSnapshot(name, "local", 10, 100, 1, 0, granted, 0, List.of("demo"));
  }

  @Test
  void aNewStream_hearsTheStateOfEverything_andThenWhatChanges() throws IOException {
    try (Api api = api()) {
      api.demo.put("a", "b", Phase.READY, 0, null);
      api.directory.budgets.add(limiter("default", 1));
      try (EventListener stream = new EventListener(api, "")) {
        EventListener.Event first = stream.await("controller");
        assertThat(first.json().path("controller").asText()).isEqualTo("demo");
        assertThat(first.json().at("/counts/ready").asInt()).isEqualTo(1);
        assertThat(stream.await("limiter").json().path("name").asText()).isEqualTo("default");
        assertThat(stream.await("synced").id()).matches("coxswain-0=[0-9a-f]{16}-[0-9]+");
        api.demo.put("a", "c", Phase.DELAYED, 2, "boom");
        EventListener.Event change = stream.await("controller");
        assertThat(change.id()).matches("coxswain-0=[0-9a-f]{16}-[0-9]+");
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
      try (EventListener stream = new EventListener(api, "")) {
        id = stream.await("synced").id();
      }
      api.demo.put("a", "b", Phase.READY, 0, null);
      try (EventListener stream = new EventListener(api, "", "Last-Event-ID", id)) {
        EventListener.Event event = Objects.requireNonNull(stream.next(), "event");
        assertThat(event.name()).isEqualTo("controller");
        assertThat(event.json().at("/counts/ready").asInt()).isEqualTo(1);
        assertThat(event.number("coxswain-0"))
            .isEqualTo(new EventListener.Event(id, "", "").number("coxswain-0") + 1);
        stream.await("synced");
      }
    }
  }

  @Test
  void anUnknownLastEventId_isToldToBeginAnew() throws IOException {
    try (Api api = api()) {
      for (String id : new String[] {"nonsense", "0123456789abcdef-1"}) {
        try (EventListener stream = new EventListener(api, "", "Last-Event-ID", id)) {
          EventListener.Event event = Objects.requireNonNull(stream.next(), "event");
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
      try (EventListener stream = new EventListener(api, "?topics=controllers&controller=other")) {
        for (EventListener.Event event = stream.next();
            event != null && !event.name().equals("partial");
            event = stream.next()) {
          heard.add(event.name() + " " + event.json().path("controller").asText());
        }
      }
      assertThat(heard).containsExactly("controller other");
      api.get("/api/v1/events?topics=weather").problem(400, "invalid-query");
      api.get("/api/v1/events?topics=").problem(400, "invalid-query");
    }
  }

  /** A limiter and the list of replicas belong to no controller, so they stay. */
  @Test
  void aController_leavesOutTheOthers_andTheirOperations_fromTheStateAndFromChanges()
      throws IOException {
    try (Api api = api();
        FakeController other = new FakeController("other")) {
      api.directory.handles.put("other", other);
      api.directory.budgets.add(limiter("default", 1));
      forgetAll(api, "demo");
      forgetAll(api, "other");
      try (EventListener stream = new EventListener(api, "?controller=other")) {
        List<EventListener.Event> state = stream.until("synced", event -> true);
        assertThat(state)
            .extracting(EventListener.Event::name)
            .containsExactlyInAnyOrder(
                "controller", "limiter", "operation", "replicas", "partial", "synced");
        assertThat(controllers(state)).containsOnly("other");
        forgetAll(api, "demo");
        String last = forgetAll(api, "other");
        List<EventListener.Event> changes =
            stream.until("operation", event -> event.json().path("id").asText().equals(last));
        assertThat(controllers(changes)).containsOnly("other");
      }
    }
  }

  /** Returns the id of a new operation. */
  private static String forgetAll(Api api, String controller) {
    return api.post(
            "/api/v1/controllers/" + controller + "/operations",
            "{\"action\":\"forget\",\"all\":true,\"reason\":\"x\"}")
        .ok(202)
        .path("id")
        .asText();
  }

  private static List<String> controllers(List<EventListener.Event> events) {
    return events.stream()
        .filter(event -> Set.of("controller", "operation").contains(event.name()))
        .map(event -> event.json().path("controller").asText())
        .toList();
  }

  @Test
  void anOperation_isHeardOf_untilItIsOver() throws IOException {
    try (Api api = api();
        EventListener stream = new EventListener(api, "?topics=operations")) {
      assertThat(stream.nextNames(2)).containsExactly("partial", "synced");
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
        EventListener stream = new EventListener(api, "")) {
      stream.await("synced");
      stream.awaitHeartbeats(12);
      api.demo.put("a", "b", Phase.READY, 0, null);
      stream.await("controller");
    }
  }

  @Test
  void aFifthStreamOfOneCaller_isRefused_untilOneIsClosed() throws IOException {
    try (Api api = api()) {
      List<EventListener> streams = new ArrayList<>();
      for (int i = 0; i < EventFeed.MAX_STREAMS_PER_CALLER; i++) {
        streams.add(new EventListener(api, ""));
      }
      var refused = api.get("/api/v1/events");
      refused.problem(429, "too-many-streams");
      assertThat(refused.header("Retry-After")).isNotEmpty();
      streams.removeFirst().close();
      Await.until(() -> isFree(api));
      for (EventListener stream : streams) {
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
        EventListener stream = new EventListener(api, "", "Authorization", "Bearer token")) {
      stream.await("synced");
      allowed.set(false);
      stream.await("unauthorized");
      assertThat(stream.next()).isNull();
    }
  }

  /** Whoever sends requests as fast as may be must not outlast a right that way. */
  @Test
  void aCallerWhoMayNoLongerListen_isToldSo_evenWhenTheyHaveUsedUpTheirRequests()
      throws IOException {
    AtomicBoolean allowed = new AtomicBoolean(true);
    Authenticator anybody =
        token ->
            Future.succeededFuture(
                new Authentication.Accepted(Principal.of("alice"), Duration.ofHours(1)));
    Authorizer right = (principal, wanted) -> Future.succeededFuture(allowed.get());
    VirtualTime stopped = new VirtualTime();
    String[] alice = {"Authorization", "Bearer token"};
    try (Api api =
            new Api(
                AccessControl.local("test", "ask the test", new Ports(anybody, right)),
                stopped,
                options -> options.withReadsPerSecond(10).withChangesPerSecond(10),
                FAST);
        EventListener stream = new EventListener(api, "", alice)) {
      stream.await("synced");
      Await.until(
          () -> api.send(api.request("/api/v1/controllers").headers(alice)).status() == 429);
      allowed.set(false);
      stream.await("unauthorized");
      assertThat(stream.next()).isNull();
    }
  }

  /** All of them are asked about again in the same minute, but the reviewer takes few at once. */
  @Test
  void moreCallersThanMayBeReviewedAtOnce_goOnListening() throws IOException {
    Reviewers reviewers = new Reviewers();
    ReviewLimits few =
        ReviewLimits.DEFAULT
            .withMaxEntries(100)
            .withMaxAtOnce(8)
            .withTimeout(Duration.ofSeconds(60));
    List<EventListener> streams = new ArrayList<>();
    try (Api api = new Api(reviewers.control(few), reviewers, options -> options, FAST)) {
      for (int i = 0; i < 12; i++) {
        EventListener stream = new EventListener(api, "", "Authorization", "Bearer good-" + i);
        stream.await("synced");
        streams.add(stream);
      }
      reviewers.tokens.clear();
      reviewers.pass(Duration.ofMinutes(2));
      Await.until(() -> reviewers.tokens.size() == 12);
      api.demo.put("ns", "a", Phase.READY, 0, null);
      for (EventListener stream : streams) {
        stream.await("controller", event -> event.json().path("total").asInt() == 1);
      }
    } finally {
      for (EventListener stream : streams) {
        stream.close();
      }
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
