// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.internal.options.ChangePolicy;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many items are changed only by those who have seen which. */
class ConfirmationTest {

  private static final String OPERATIONS = Api.DEMO + "/operations";
  private static final String FLUSH =
      "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"reason\":\"x\"}";

  private final Api api =
      new Api(options -> options.withChanges(ChangePolicy.DEFAULT.withSafeCount(3)));

  @BeforeEach
  void putFour() {
    put(4);
  }

  @AfterEach
  void close() {
    api.close();
  }

  private void put(int count) {
    for (int i = 0; i < count; i++) {
      api.demo.put("a", "d" + i, Phase.DELAYED, 1, "boom");
    }
  }

  @Test
  void moreThanTheSafeCount_needsAToken() {
    JsonNode problem = api.post(OPERATIONS, FLUSH).problem(409, "confirmation-required");
    assertThat(problem.at("/current/matched").asInt()).isEqualTo(4);
    assertThat(problem.at("/current/safeCount").asInt()).isEqualTo(3);
    assertThat(api.demo.size()).isEqualTo(4);
    assertThat(api.demo.bulks).allMatch(request -> request.dryRun());
    JsonNode done = api.operate(OPERATIONS, api.confirmed(OPERATIONS, FLUSH));
    assertThat(done.path("applied").asInt()).isEqualTo(4);
  }

  @Test
  void upToTheSafeCount_needsNone_andTheEngineIsToldTheLimit() {
    api.demo.remove(new ItemId("a", "d0").encoded());
    assertThat(api.operate(OPERATIONS, FLUSH).path("applied").asInt()).isEqualTo(3);
    assertThat(api.demo.bulks.getLast().maxAffected()).isEqualTo(3);
  }

  @Test
  void whatArrivesAfterThePreview_isNotTouched() {
    String order = api.confirmed(OPERATIONS, FLUSH);
    String late = api.demo.put("a", "late", Phase.DELAYED, 1, "boom");
    assertThat(api.operate(OPERATIONS, order).path("applied").asInt()).isEqualTo(4);
    assertThat(api.demo.at(late)).isNotNull();
  }

  /** What is previewed may fail by the thousand before it is confirmed. */
  @Test
  void aCountThatHasDoubledSinceThePreview_mustBeSeenAgain() {
    String order = api.confirmed(OPERATIONS, FLUSH);
    api.demo.counted = counted(9);
    JsonNode problem = api.post(OPERATIONS, order).problem(409, "confirmation-required");
    assertThat(problem.at("/current/matched").asInt()).isEqualTo(9);
    assertThat(problem.path("detail").asText()).contains("has shown 4");
    api.demo.counted = counted(8);
    api.post(OPERATIONS, order).ok(202);
    assertThat(api.demo.bulks.getLast().maxAffected()).isEqualTo(8);
  }

  private static BulkResult counted(int items) {
    return new BulkResult(
        true,
        BulkResult.Ending.COMPLETE,
        new BulkProgress(items, 0, Map.of(), 0, 0, 0),
        null,
        Map.of(),
        Map.of(),
        List.of(),
        4);
  }

  @Test
  void aDryRunWithAToken_tellsWhetherItWouldBeTaken() {
    String order = api.confirmed(OPERATIONS, FLUSH);
    String dry = "{\"dryRun\":true," + order.substring(1);
    assertThat(api.post(OPERATIONS, dry).ok(200).path("matched").asInt()).isEqualTo(4);
    api.post(OPERATIONS, dry.replace("flush", "retry")).problem(410, "confirm-token-invalid");
    api.demo.counted = counted(9);
    api.post(OPERATIONS, dry).problem(409, "confirmation-required");
    assertThat(api.demo.size()).isEqualTo(4);
  }

  @Test
  void aTokenForOneClassOfErrors_isNotOneForAll_whateverTheClassIsCalled() {
    String narrow = FLUSH.replace("true}", "true,\"errorClass\":\"null\"}");
    String token = api.confirmed(OPERATIONS, narrow).split("\"", -1)[3];
    api.post(OPERATIONS, "{\"confirmToken\":\"" + token + "\"," + FLUSH.substring(1))
        .problem(410, "confirm-token-invalid");
  }

  @Test
  void theConfirmationsOfAHundredReplicas_areNotTooLong() {
    ConfirmTokens tokens = new ConfirmTokens(new VirtualTime());
    Map<String, String> parts = new TreeMap<>();
    for (int i = 0; i < 100; i++) {
      parts.put(
          "r".repeat(60) + "-" + i, tokens.issue(List.of("ada"), new ConfirmTokens.Seen(i, i)));
    }
    assertThat(ConfirmTokens.parts(ConfirmTokens.combine(parts))).isEqualTo(parts);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"action\":\"retry\",\"selector\":{\"failing\":true}",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true,\"namespace\":\"a\"}",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true,\"olderThan\":\"1s\"}",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true,\"errorClass\":\"Boom\"}",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true,"
            + "\"readyBefore\":\"2026-11-20T10:00:00Z\"}",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true,\"labelSelector\":\"a\"}",
        "{\"action\":\"flush\",\"all\":true",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"then\":\"none\"",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"keepFailures\":true",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"dropDirty\":true",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"spreadOver\":\"0s\"",
        "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"itemsPerSecond\":7"
      })
  void aToken_confirmsNothingElse(String other) {
    api.demo.selected = Map.of();
    String token = api.confirmed(OPERATIONS, FLUSH).split("\"", -1)[3];
    api.post(OPERATIONS, other + ",\"reason\":\"x\",\"confirmToken\":\"" + token + "\"}")
        .problem(410, "confirm-token-invalid");
    assertThat(api.demo.size()).isEqualTo(4);
  }

  @Test
  void aTokenOfAnotherControllerOrRun_orAForgedOne_isRefused() {
    String order = api.confirmed(OPERATIONS, FLUSH);
    String token = order.split("\"", -1)[3];
    try (FakeController other = new FakeController("other")) {
      api.directory.handles.put("other", other);
      api.post("/api/v1/controllers/other/operations", order).problem(410, "confirm-token-invalid");
    }
    for (String forged : List.of("ct_", "x", token.substring(3), flip(token))) {
      api.post(OPERATIONS, order.replace(token, forged)).problem(410, "confirm-token-invalid");
    }
    api.demo.startedAt = FakeController.START.plusSeconds(1);
    api.post(OPERATIONS, order).problem(410, "confirm-token-invalid");
  }

  private static String flip(String token) {
    char c = token.charAt(5);
    return token.substring(0, 5) + (c == 'A' ? 'B' : 'A') + token.substring(6);
  }

  @Test
  void aToken_isForOneActorOnly_andForFiveMinutes() {
    VirtualTime time = new VirtualTime();
    ConfirmTokens tokens = new ConfirmTokens(time);
    ConfirmTokens.Seen seen = new ConfirmTokens.Seen(17, 4);
    String token = tokens.issue(List.of("ada", "demo"), seen);
    assertThat(tokens.verify(List.of("ada", "demo"), token)).isEqualTo(seen);
    assertThatThrownBy(() -> tokens.verify(List.of("bob", "demo"), token))
        .hasMessage("confirm-token-invalid");
    assertThatThrownBy(() -> tokens.verify(List.of("adad", "emo"), token))
        .hasMessage("confirm-token-invalid");
    assertThatThrownBy(() -> new ConfirmTokens(time).verify(List.of("ada", "demo"), token))
        .hasMessage("confirm-token-invalid");
    time.advance(Duration.ofMinutes(5).minusNanos(1));
    assertThat(tokens.verify(List.of("ada", "demo"), token)).isEqualTo(seen);
    time.advance(Duration.ofNanos(1));
    assertThatThrownBy(() -> tokens.verify(List.of("ada", "demo"), token))
        .hasMessage("confirm-token-expired");
  }

  @Test
  void aProtectedController_losesNothing_butMayBePreviewedAndRetried() {
    try (Api safe =
        new Api(options ->
            options.withChanges(ChangePolicy.DEFAULT.withProtectedControllers(Set.of("demo"))))) {
      String id = safe.demo.put("a", "b", Phase.DELAYED, 1, "boom");
      String order = safe.confirmed(OPERATIONS, FLUSH);
      safe.post(OPERATIONS, order).problem(403, "controller-protected");
      safe.post(OPERATIONS, FLUSH).problem(403, "controller-protected");
      safe.change("DELETE", Api.item(id), "{\"reason\":\"x\"}")
          .problem(403, "controller-protected");
      assertThat(safe.demo.size()).isEqualTo(1);
      safe.operate(OPERATIONS, FLUSH.replace("flush", "retry"));
    }
  }
}
