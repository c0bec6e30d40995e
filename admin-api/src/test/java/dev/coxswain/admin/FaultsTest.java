// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.testing.Await;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.Phase;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FaultsTest {

  private static final String WHY = "{\"reason\":\"test\"}";

  /** Asks on a thread of its own. */
  private static CompletableFuture<Api.Answer> asked(Api api) {
    CompletableFuture<Api.Answer> answer = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            answer.complete(api.get(Api.DEMO + "/items"));
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  private static Api quick() {
    return new Api(options -> options.withRequestTimeout(Duration.ofSeconds(2)));
  }

  @Test
  void aControllerThatNeverAnswers_is503AfterTheDeadline() {
    try (Api api = quick()) {
      String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
      api.demo.mood = FakeController.Mood.SILENT;
      for (String path : List.of(Api.DEMO + "/items", Api.item(id), Api.item(id) + "/explain")) {
        var answer = api.get(path);
        answer.problem(503, "timeout");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
      }
      var problem = api.post(Api.item(id) + "/retry", WHY).problem(503, "timeout");
      assertThat(problem.path("detail").asText()).contains("may have been made");
    }
  }

  @Test
  void aControllerThatAnswersAgain_isHeard() {
    try (Api api = new Api(options -> options.withRequestTimeout(Duration.ofSeconds(5)))) {
      api.demo.mood = FakeController.Mood.SILENT;
      api.get(Api.DEMO + "/items").problem(503, "timeout");
      api.demo.mood = FakeController.Mood.ANSWERS;
      api.get(Api.DEMO + "/items").ok(200);
    }
  }

  @Test
  void aControllerThatThrowsOrFails_is500WithoutInternals() {
    try (Api api = new Api()) {
      String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
      for (var mood : List.of(FakeController.Mood.THROWS, FakeController.Mood.FAILS)) {
        api.demo.mood = mood;
        api.get(Api.DEMO + "/items").problem(500, "internal");
        api.get(Api.item(id)).problem(500, "internal");
        api.post(Api.item(id) + "/retry", WHY).problem(500, "internal");
        api.post(Api.DEMO + "/pause", WHY).problem(500, "internal");
        api.post(
                Api.DEMO + "/operations",
                "{\"action\":\"retry\",\"selector\":{\"failing\":true},\"reason\":\"x\"}")
            .problem(500, "internal");
      }
      api.demo.mood = FakeController.Mood.ANSWERS;
      api.demo.unreadable = true;
      api.get(Api.DEMO).problem(500, "internal");
    }
  }

  @Test
  void aStoppingOrStoppedController_is503() {
    try (Api api = new Api()) {
      api.demo.mood = FakeController.Mood.FAILS;
      for (var state : List.of(ControllerStatus.State.DRAINING, ControllerStatus.State.STOPPED)) {
        api.demo.state = state;
        api.get(Api.DEMO + "/items").problem(503, "controller-not-running");
      }
    }
  }

  @Test
  void aSilentController_keepsOnlySoManyQuestions_andTheOthersAnswer() {
    try (Api api = new Api(options -> options.withRequestTimeout(Duration.ofSeconds(3)));
        FakeController other = new FakeController("other")) {
      api.directory.handles.put("other", other);
      api.demo.mood = FakeController.Mood.SILENT;
      List<CompletableFuture<Api.Answer>> asked =
          IntStream.range(0, ControllerCalls.MAX_PENDING).mapToObj(i -> asked(api)).toList();
      asked.forEach(answer -> answer.join().problem(503, "timeout"));
      api.get(Api.DEMO + "/items").problem(503, "controller-busy");
      api.get("/api/v1/controllers/other/items").ok(200);
    }
  }

  @Test
  void tooManyRequestsInFlight_are503_andTheirPlacesComeBack() {
    try (Api api =
        new Api(options -> options.withMaxInFlight(2).withRequestTimeout(Duration.ofSeconds(5)))) {
      api.demo.mood = FakeController.Mood.SILENT;
      List<CompletableFuture<Api.Answer>> held =
          IntStream.range(0, 2).mapToObj(i -> asked(api)).toList();
      // Both are in before anything else is asked, which could otherwise take a place of theirs.
      Await.until(() -> api.demo.unanswered.get() == 2);
      var refused = api.get("/api/v1");
      refused.problem(503, "too-many-requests-in-flight");
      assertThat(refused.header("Retry-After")).isEqualTo("1");
      held.forEach(answer -> answer.join().problem(503, "timeout"));
      api.get("/api/v1").ok(200);
    }
  }

  @Test
  void clientsThatLeave_giveTheirPlacesBack() throws Exception {
    try (Api api =
        new Api(options -> options.withMaxInFlight(2).withRequestTimeout(Duration.ofMillis(300)))) {
      api.demo.mood = FakeController.Mood.SILENT;
      for (int i = 0; i < 6; i++) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port)) {
          socket
              .getOutputStream()
              .write(
                  ("GET " + Api.DEMO + "/items HTTP/1.1\r\nHost: localhost\r\n\r\n")
                      .getBytes(StandardCharsets.US_ASCII));
        }
      }
      // One good answer could come before the others have been read; all of them pass in the end.
      Await.until(() -> IntStream.range(0, 6).allMatch(i -> api.get("/api/v1").status() == 200));
    }
  }

  @Test
  void aBodyThatDoesNotArrive_is408() {
    try (Api api = quick()) {
      assertThat(
              api.raw(
                  "POST "
                      + Api.DEMO
                      + "/pause HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      + "Content-Length: 20\r\n\r\n{\"reason\""))
          .startsWith("HTTP/1.1 408 ")
          .contains("body-timeout");
    }
  }
}
