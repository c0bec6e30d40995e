// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Selectors, paging, metadata and what updates may create. */
final class RequestRulesTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @RegisterExtension private static final ClassServer OWN = new ClassServer();
  private static final EmbeddedApiServer server = OWN.server;
  private static final Http http = OWN.http;

  @AfterAll
  static void stop() {
    CLIENT.shutdownNow();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a=b=c|found '=', expected: ',' or 'end of string'",
        "a in|unable to parse requirement: found '' expected: '('",
        "a in (|unable to parse requirement: found '', expected: ',', ')' or identifier",
        "a,|found '', expected: identifier after ','",
        ",a|found ',', expected: !, identifier, or 'end of string'",
        "a b|unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        "-a|unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of",
        "a=-b|unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label must be",
        "a>x|unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators",
      })
  void labelSelectorThatIsNone_isTold(String selector, String message) {
    Http.Answer answer = http.get(MAPS + "?labelSelector=" + encoded(selector));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body().path("message").asText()).startsWith(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tier in (web,db)|2",
        "tier notin (web)|2",
        "tier|2",
        "!tier|1",
        "size>3|1",
        "size<3|1",
        "tier!=web|2",
        "tier in ()|0",
        "tier==web,size|1",
      })
  void labelSelector_selects(String selector, int count) {
    for (String one : new String[] {"web\",\"size\":\"5", "db\",\"size\":\"1", ""}) {
      String labels = one.isEmpty() ? "" : ",\"tier\":\"" + one + "\"";
      http.configMap(
          "l" + Integer.toHexString(one.hashCode()), "\"labels\":{\"of\":\"test\"" + labels + "}");
    }
    Http.Answer answer = http.get(MAPS + "?labelSelector=" + encoded("of=test," + selector));
    assertThat(answer.body().path("items")).hasSize(count);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sendInitialEvents=true|sendInitialEvents",
        "watch=true&sendInitialEvents=true|resourceVersionMatch",
        "watch=true&resourceVersionMatch=NotOlderThan|resourceVersionMatch",
        "resourceVersionMatch=Exact|resourceVersionMatch",
      })
  void listOptionsThatDoNotFit_are422(String query, String field) {
    Http.Answer answer = http.get(MAPS + "?" + query);
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body().at("/details/kind").asText()).isEqualTo("ListOptions");
    assertThat(answer.body().at("/details/causes/0/field").asText()).isEqualTo(field);
  }

  @Test
  void continueToken_outlivesTheHistoryWithAnInconsistentOne() {
    for (int i = 0; i < 3; i++) {
      http.configMap("page-" + i, "\"labels\":{\"page\":\"yes\"}");
    }
    String page = MAPS + "?limit=1&labelSelector=page";
    String token = http.get(page).body().at("/metadata/continue").asText();
    server.faults().compactHistory();
    Http.Answer expired = http.get(page + "&continue=" + token);
    assertThat(expired.status()).isEqualTo(410);
    assertThat(expired.body().path("reason").asText()).isEqualTo("Expired");
    String another = expired.body().at("/metadata/continue").asText();
    Http.Answer rest = http.get(MAPS + "?labelSelector=page&continue=" + another);
    assertThat(rest.body().path("items")).hasSize(2);
    assertThat(http.get(page + "&resourceVersion=5&continue=" + another).status()).isEqualTo(400);
  }

  @Test
  void update_createsALeaseThatIsMissing_butNotAConfigMap() {
    String lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    String body = "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"a\"}}";
    assertThat(http.call("PUT", lease, body, "application/json").status()).isEqualTo(201);
    assertThat(http.call("PUT", lease, body, "application/json").status()).isEqualTo(422);
    String map = "{\"metadata\":{\"name\":\"none\"}}";
    assertThat(http.call("PUT", MAPS + "/none", map, "application/json").status()).isEqualTo(404);
  }

  @Test
  void update_needsAName() {
    http.configMap("named", "");
    Http.Answer answer = http.call("PUT", MAPS + "/named", "{\"metadata\":{}}", "application/json");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body().path("message").asText()).contains("name must be provided");
  }

  @Test
  void namespacesOfTheSystem_cannotBeDeleted() {
    Http.Answer answer = http.delete("/api/v1/namespaces/kube-system");
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.body().path("message").asText())
        .isEqualTo("namespaces \"kube-system\" is forbidden: this namespace may not be deleted");
    assertThat(http.delete("/api/v1/namespaces").status()).isEqualTo(405);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"finalizers\":[\"plain\"]|metadata.finalizers[0]",
        "\"finalizers\":[\"orphan\",\"foregroundDeletion\"]|metadata.finalizers",
        "\"labels\":{\"/a\":\"b\"}|metadata.labels",
        "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"e\",\"uid\":\"u\"}]|metadata.ownerReferences",
        "\"ownerReferences\":[{\"apiVersion\":\"apps/\",\"kind\":\"A\",\"name\":\"e\",\"uid\":\"u\"}]|metadata.ownerReferences.apiVersion",
        "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"A\",\"name\":\"e\",\"uid\":\"u\",\"controller\":true},{\"apiVersion\":\"v1\",\"kind\":\"B\",\"name\":\"f\",\"uid\":\"w\",\"controller\":true}]|metadata.ownerReferences",
      })
  void metadataThatIsWrong_isNamed(String meta, String field) {
    Http.Answer answer = http.configMap("wrong", meta);
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body().at("/details/causes/0/field").asText()).isEqualTo(field);
  }

  @Test
  void whatNeedsContainers_isRefusedWithTheReason() {
    for (String path : new String[] {"pods/p/log", "pods/p/exec", "services/s/proxy/a"}) {
      Http.Answer answer = http.get("/api/v1/namespaces/default/" + path);
      assertThat(answer.status()).as(path).isEqualTo(501);
      assertThat(answer.body().path("message").asText()).contains("runs no containers");
    }
    assertThat(http.get("/api/v1/namespaces/default/pods/p/nonsense").status()).isEqualTo(404);
  }

  @Test
  void rulesReview_listsWhatTheUserMayDo() {
    Http.Answer answer =
        http.post(
            "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
            "{\"spec\":{\"namespace\":\"default\"}}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.body().at("/status/resourceRules/0/resources/0").asText()).isEqualTo("*");
    assertThat(answer.body().at("/status/incomplete").asBoolean(true)).isFalse();
  }

  @Test
  void wideTables_haveTheColumnsOfKubectl() throws Exception {
    http.post(
        "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
        "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"minAvailable\":\"50%\"}}");
    HttpResponse<String> table =
        get(
            "/apis/policy/v1/namespaces/default/poddisruptionbudgets/b",
            "Accept",
            "application/json;as=Table;g=meta.k8s.io;v=v1");
    JsonNode body = new ObjectMapper().readTree(table.body());
    assertThat(body.path("columnDefinitions").findValuesAsText("name"))
        .containsExactly("Name", "Min Available", "Max Unavailable", "Allowed Disruptions", "Age");
    assertThat(body.at("/rows/0/cells/1").asText()).isEqualTo("50%");
    assertThat(body.at("/rows/0/cells/2").asText()).isEqualTo("N/A");
  }

  @Test
  void longList_isCompressedForThoseWhoAcceptIt() throws Exception {
    String data = "x".repeat(60_000);
    for (int i = 0; i < 4; i++) {
      http.post(
          "/api/v1/namespaces/kube-public/configmaps",
          "{\"metadata\":{\"name\":\"long-" + i + "\"},\"data\":{\"a\":\"" + data + "\"}}");
    }
    String path = "/api/v1/namespaces/kube-public/configmaps";
    HttpResponse<byte[]> answer =
        CLIENT.send(
            request(path, "Accept-Encoding", "gzip"), HttpResponse.BodyHandlers.ofByteArray());
    assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
      assertThat(new ObjectMapper().readTree(in.readAllBytes()).path("items")).hasSize(4);
    }
    assertThat(get(path, "Accept", "application/json").headers().firstValue("Content-Encoding"))
        .isEmpty();
  }

  private static HttpRequest request(String path, String header, String value) {
    return HttpRequest.newBuilder(URI.create(server.url() + path)).header(header, value).build();
  }

  private static HttpResponse<String> get(String path, String header, String value)
      throws Exception {
    return CLIENT.send(request(path, header, value), HttpResponse.BodyHandlers.ofString());
  }
}
