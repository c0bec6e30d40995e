// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.internal.options.ChangePolicy;
import dev.coxswain.view.Phase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is changed that is no longer what the client has seen, or sent that it has already. */
class RevisionsTest {

  private static final String WHY = "{\"reason\":\"x\"}";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private String etag() {
    Api.Answer answer = api.get(Api.DEMO);
    JsonNode shown = answer.ok(200);
    assertThat(answer.header("ETag")).isEqualTo("\"" + shown.path("rev").asText() + "\"");
    return answer.header("ETag");
  }

  @Test
  void theRevisionOfAController_changesWithItsSettings_andOnlyThen() {
    String first = etag();
    api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    assertThat(etag()).as("items are no settings").isEqualTo(first);
    Api.Answer paused = api.post(Api.DEMO + "/pause", WHY, "If-Match", first);
    paused.ok(200);
    assertThat(etag()).isNotEqualTo(first).isEqualTo(paused.header("ETag"));
    JsonNode problem =
        api.change("PATCH", Api.DEMO, "{\"maxConcurrent\":3,\"reason\":\"x\"}", "If-Match", first)
            .problem(412, "controller-changed");
    assertThat("\"" + problem.at("/current/rev").asText() + "\"").isEqualTo(etag());
    assertThat(api.demo.concurrency).isEqualTo(1);
    api.change("PATCH", Api.DEMO, "{\"maxConcurrent\":3,\"reason\":\"x\"}", "If-Match", etag())
        .ok(200);
    String scaled = "{\"maxConcurrent\":5,\"reason\":\"x\"}";
    api.change("PUT", Api.DEMO + "/scale", scaled, "If-Match", first)
        .problem(412, "controller-changed");
    Api.Answer put = api.change("PUT", Api.DEMO + "/scale", scaled, "If-Match", etag());
    put.ok(200);
    assertThat(put.header("ETag")).isEqualTo(etag());
    api.post(Api.DEMO + "/resume", WHY, "If-Match", first).problem(412, "controller-changed");
    api.post(Api.DEMO + "/resume", WHY, "If-Match", "*").ok(200);
  }

  @Test
  void ofManyChangesOfTheSameRevision_oneIsMade() {
    String seen = etag();
    List<CompletableFuture<Integer>> sent = new ArrayList<>();
    for (int i = 2; i < 12; i++) {
      String body = "{\"maxConcurrent\":" + i + ",\"reason\":\"x\"}";
      sent.add(
          CompletableFuture.supplyAsync(
              () -> api.change("PATCH", Api.DEMO, body, "If-Match", seen).status()));
    }
    assertThat(sent.stream().map(CompletableFuture::join).filter(status -> status == 200))
        .hasSize(1);
    assertThat(sent).allMatch(status -> status.join() == 200 || status.join() == 412);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "\"", "\"a\", \"b\"", "W/\"a\""})
  void anIfMatchThatIsNoRevision_is400(String header) {
    api.post(Api.DEMO + "/pause", WHY, "If-Match", header).problem(400, "invalid-header");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void whereRevisionsAreRequired_aChangeWithoutOneIs428() {
    try (Api strict =
        new Api(options -> options.withChanges(ChangePolicy.DEFAULT.withRequireIfMatch(true)))) {
      String id = strict.demo.put("a", "b", Phase.DELAYED, 1, "boom");
      strict.post(Api.DEMO + "/pause", WHY).problem(428, "if-match-required");
      strict.change("DELETE", Api.item(id), WHY).problem(428, "if-match-required");
      strict.post(Api.item(id) + "/retry", WHY).problem(428, "if-match-required");
      String rev = strict.get(Api.item(id)).header("ETag");
      strict.post(Api.item(id) + "/retry", WHY, "If-Match", rev).ok(200);
      strict.post(Api.DEMO + "/items", "{\"name\":\"n\",\"reason\":\"x\"}").ok(201);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/controllers",
        Api.DEMO + "/items",
        "/api/v1/operations",
        "/api/v1/audit",
        "/api/v1/limiters",
        "/api/v1/replicas"
      })
  void aListThatTheClientHas_isNotSentAgain(String path) {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    Api.Answer first = api.get(path);
    first.ok(200);
    String etag = first.header("ETag");
    assertThat(etag).startsWith("W/\"");
    for (String header : List.of(etag, "\"other\", " + etag, etag.substring(2), "*")) {
      Api.Answer again = api.send(api.request(path).header("If-None-Match", header));
      assertThat(again.status()).as(header).isEqualTo(304);
      assertThat(again.http().body()).isEmpty();
      assertThat(again.header("ETag")).isEqualTo(etag);
    }
    api.send(api.request(path).header("If-None-Match", "\"other\"")).ok(200);
    if (!path.contains("limiters") && !path.contains("replicas")) {
      api.operate(Api.DEMO + "/operations", "{\"action\":\"flush\",\"all\":true,\"reason\":\"x\"}");
      assertThat(api.demo.at(id)).isNull();
      Api.Answer changed = api.send(api.request(path).header("If-None-Match", etag));
      changed.ok(200);
      assertThat(changed.header("ETag")).isNotEqualTo(etag);
    }
  }

  private static String tag(String list) {
    return Revisions.ofList(list.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        // relative times of an item, whose revision is the same
        "{'items':[{'id':'a','readyAt':'x','seq':1,'rev':'2'}]};{'items':[{'id':'a','readyAt':'y','z':[{}],'seq':1,'rev':'2'}]}",
        // what only time changes
        "{'asOf':[1],'n':1};{'asOf':{'a':[2]},'n':1}",
        "{'ageSeconds':1.5,'n':1};{'ageSeconds':[],'n':1}",
        "{'nextReadyAt':'2026-12-01T10:00:00.1Z'};{'nextReadyAt':'2026-12-01T10:00:00.25Z'}",
      })
  void whatOnlyTimeChanges_isNoOtherList(String one, String other) {
    assertThat(tag(one)).isEqualTo(tag(other));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "{'id':'a','seq':1,'rev':'2'};{'id':'a','seq':1,'rev':'3'}",
        "{'id':'a','seq':1,'rev':'2'};{'id':'b','seq':1,'rev':'2'}",
        "{'id':'a','phase':'ready','seq':1,'rev':'2'};{'id':'a','phase':'delayed','seq':1,'rev':'2'}",
        "{'replica':'a','seq':1,'rev':'2'};{'replica':'b','seq':1,'rev':'2'}",
        "{'id':'a','seq':1};{'id':'b','seq':1}",
        "{'a':'1'};{'a':1}",
        "{'a':[1,2]};{'a':[12]}",
        "{'a':[[],1]};{'a':[[1]]}",
        "{'a':{'b':1},'c':2};{'a':{'b':1,'c':2}}",
        "{'a':'1}'};{'a':'1'}",
        "{'nextReadyAt':'2026-12-01T10:00:00.1Z'};{'nextReadyAt':'2026-12-01T10:00:01.1Z'}",
      })
  void everythingElse_isAnotherList(String one, String other) {
    assertThat(tag(one)).isNotEqualTo(tag(other));
  }
}
