// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server answers to shard selectors, and what shows that it obeyed them. */
class ShardSelectorRequestsTest {
  private static final String MAPS = "/api/v1/configmaps";
  private static final String WIDGETS = "/apis/example.com/v1/widgets";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withShardedListAndWatch(true)
              .withBookmarkInterval(Duration.ofMillis(20)));
  private final Http http = new Http(server);

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @Test
  void anotherObjectOfTheSameName_isNotSelectedByTheUid() throws IOException, InterruptedException {
    http.configMap("other", "");
    String uid = http.configMap("mine", "").body().at("/metadata/uid").asText();
    String version = http.get(MAPS).body().at("/metadata/resourceVersion").asText();
    try (Http.Watch watch =
        http.watch(
            MAPS
                + "?watch=true&allowWatchBookmarks=true&resourceVersion="
                + version
                + "&"
                + HashRanges.of("uid", uid).parameter())) {
      for (String name : List.of("other", "mine")) {
        String at = "/api/v1/namespaces/default/configmaps/" + name;
        http.merge(at, "{\"data\":{\"a\":\"1\"}}");
        http.delete(at);
        http.configMap(name, "");
      }
      assertThat(shown(withoutBookmarks(watch))).isEqualTo("MODIFIED mine " + uid);
      assertThat(shown(withoutBookmarks(watch))).isEqualTo("DELETED mine " + uid);
      assertThat(bookmark(watch, http.get(MAPS)).at("/metadata/shardInfo").isMissingNode())
          .isTrue();
    }
  }

  @Test
  void bookmarks_goOnWithoutSelectedObjects() throws IOException, InterruptedException {
    try (Http.Watch watch =
        http.watch(
            MAPS + "?watch=true&allowWatchBookmarks=true&" + HashRanges.none("uid").parameter())) {
      http.configMap("a", "");
      assertThat(bookmark(watch, http.get(MAPS)).path("kind").asText()).isEqualTo("ConfigMap");
    }
  }

  @Test
  void theWatchOfOneObject_isSelectedAsWell() throws IOException, InterruptedException {
    http.configMap("a", "");
    String one = "/api/v1/namespaces/default/configmaps/a?watch=true&allowWatchBookmarks=true&";
    try (Http.Watch watch =
        http.watch(one + HashRanges.except("namespace", "default").parameter())) {
      assertThat(bookmark(watch, http.get(MAPS)).isObject()).isTrue();
    }
    try (Http.Watch watch = http.watch(one + HashRanges.of("namespace", "default").parameter())) {
      assertThat(watch.next().path("type").asText()).isEqualTo("ADDED");
    }
  }

  @Test
  void theListOfOneNamespace_isSelectedAsWell() {
    http.configMap("a", "");
    String path = "/api/v1/namespaces/default/configmaps?";
    assertThat(
            http.get(path + HashRanges.of("namespace", "default").parameter()).body().path("items"))
        .hasSize(1);
    JsonNode none = http.get(path + HashRanges.except("namespace", "default").parameter()).body();
    assertThat(none.path("items")).isEmpty();
    assertThat(none.at("/metadata/shardInfo/selector").asText()).isNotEmpty();
  }

  @Test
  void objectsWithoutNamespace_haveTheHashOfTheEmptyText() {
    String path = "/api/v1/namespaces?";
    assertThat(http.get(path + HashRanges.of("namespace", "").parameter()).body().path("items"))
        .isNotEmpty()
        .hasSameSizeAs(http.get(path).body().path("items"));
    assertThat(http.get(path + HashRanges.except("namespace", "").parameter()).body().path("items"))
        .isEmpty();
  }

  @Test
  void aSelectedList_saysSo_unlessItIsOfACustomResource() {
    define();
    String selector = HashRanges.even("uid", 2).toString();
    String query = "?shardSelector=" + selector.replace(" ", "").replace("|", "%7C");
    assertThat(http.get(MAPS + query).body().at("/metadata/shardInfo/selector").asText())
        .isEqualTo(selector);
    assertThat(http.get(MAPS + "?shardSelector=").body().at("/metadata/shardInfo").isMissingNode())
        .isTrue();
    JsonNode custom = http.get(WIDGETS + query).body();
    assertThat(custom.path("kind").asText()).isEqualTo("WidgetList");
    assertThat(custom.at("/metadata/shardInfo").isMissingNode()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Table", "PartialObjectMetadataList"})
  void listsInOtherForms_areSelected_andSaySoNowhere(String form)
      throws IOException, InterruptedException {
    JsonNode all = list(HashRanges.all("uid"), form);
    assertThat(all.path("kind").asText()).isEqualTo(form);
    assertThat(all.path("rows").size() + all.path("items").size()).isPositive();
    assertThat(all.at("/metadata/shardInfo").isMissingNode()).isTrue();
    JsonNode none = list(HashRanges.none("uid"), form);
    assertThat(none.path("kind").asText()).isEqualTo(form);
    assertThat(none.path("rows").size() + none.path("items").size()).isZero();
  }

  /** As on a kube-apiserver 1.36.2, whose documentation has the parameter for lists and watches only. */
  @Test
  void theDeletionOfACollection_isSelectedAsWell() {
    String maps = "/api/v1/namespaces/default/configmaps";
    http.configMap("c", "");
    int all = http.get(maps).body().path("items").size();
    JsonNode none = http.delete(maps + "?" + HashRanges.none("uid").parameter()).body();
    assertThat(none.path("items")).isEmpty();
    assertThat(none.at("/metadata/shardInfo/selector").asText()).isNotEmpty();
    assertThat(http.get(maps).body().path("items")).hasSize(all);
    assertThat(http.delete(maps + "?shardSelector=x").status()).isEqualTo(500);
    http.delete(maps + "?" + HashRanges.all("uid").parameter());
    assertThat(http.get(maps).body().path("items")).isEmpty();
  }

  @Test
  void pagesOfASelection_countNothingThatRemains() {
    for (int i = 0; i < 3; i++) {
      http.configMap("c" + i, "");
    }
    JsonNode page =
        http.get(MAPS + "?limit=1&" + HashRanges.all("uid").parameter()).body().path("metadata");
    assertThat(page.path("continue").asText()).isNotEmpty();
    assertThat(page.at("/shardInfo/selector").asText()).isNotEmpty();
    assertThat(page.path("remainingItemCount").isMissingNode()).isTrue();
    assertThat(http.get(MAPS + "?limit=1").body().at("/metadata/remainingItemCount").asInt())
        .isEqualTo(2);
  }

  @Test
  void aHundredAndTwentyEightRanges_fitIntoARequest() throws IOException, InterruptedException {
    http.configMap("a", "");
    String path = MAPS + "?" + HashRanges.even("namespace", 128).parameter();
    assertThat(path.length()).isGreaterThan(14_000);
    assertThat(http.get(path).body().path("items")).hasSize(1);
    try (Http.Watch watch = http.watch(path + "&watch=true")) {
      assertThat(watch.next().at("/object/metadata/name").asText()).isEqualTo("a");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {MAPS, WIDGETS})
  void whatIsNoSelector_isAnInternalError_forListsAndWatches(String path) {
    define();
    String streamed = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&";
    for (String query : List.of("", "watch=true&", "limit=1&", streamed)) {
      Http.Answer answer = http.get(path + "?" + query + "shardSelector=x");
      assertThat(answer.status()).as(query).isEqualTo(500);
      assertThat(answer.body().path("kind").asText()).isEqualTo("Status");
      assertThat(answer.body().path("message").asText()).startsWith("invalid shard selector: ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "%20",
        "shardRange(object.metadata.uid,'0x0000000000000000','0x0000000000000001')"
      })
  void aServerWithoutTheFeature_ignoresTheParameter(String selector) {
    try (EmbeddedApiServer plain =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Http client = new Http(plain)) {
      Http.Answer list = client.get("/api/v1/namespaces?shardSelector=" + selector);
      assertThat(list.status()).isEqualTo(200);
      assertThat(list.body().path("items")).isNotEmpty();
      assertThat(list.body().at("/metadata/shardInfo").isMissingNode()).isTrue();
    }
  }

  private void define() {
    server.apply(Definitions.of("Widget"));
  }

  /** Lists the namespaces in another form. */
  private JsonNode list(HashRanges ranges, String form) throws IOException, InterruptedException {
    URI uri = URI.create(server.url() + "/api/v1/namespaces?" + ranges.parameter());
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Accept", "application/json;as=" + form + ";g=meta.k8s.io;v=v1")
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return new ObjectMapper()
          .readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
  }

  /** Returns the first bookmark that is not older than a list; nothing else may come before. */
  private static JsonNode bookmark(Http.Watch watch, Http.Answer list) throws InterruptedException {
    long version = list.body().at("/metadata/resourceVersion").asLong();
    while (true) {
      JsonNode event = watch.next();
      assertThat(event.path("type").asText()).isEqualTo("BOOKMARK");
      if (event.at("/object/metadata/resourceVersion").asLong() >= version) {
        return event.path("object");
      }
    }
  }

  private static JsonNode withoutBookmarks(Http.Watch watch) throws InterruptedException {
    JsonNode event = watch.next();
    while (event.path("type").asText().equals("BOOKMARK")) {
      event = watch.next();
    }
    return event;
  }

  private static String shown(JsonNode event) {
    JsonNode meta = event.at("/object/metadata");
    return "%s %s %s"
        .formatted(
            event.path("type").asText(), meta.path("name").asText(), meta.path("uid").asText());
  }
}
