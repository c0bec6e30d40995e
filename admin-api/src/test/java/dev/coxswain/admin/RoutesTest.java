// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RoutesTest {

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void documentedRoutes_areExactlyTheMountedOnes() throws IOException {
    Path docs =
        Path.of(System.getProperty("basedir", "."), "..", "docs", "reference", "admin-api.md");
    Set<String> documented = new TreeSet<>();
    Matcher row =
        Pattern.compile("^\\| `(GET|POST|PUT|PATCH|DELETE)` \\| `([^`]+)` \\|", Pattern.MULTILINE)
            .matcher(Files.readString(docs));
    while (row.find()) {
      documented.add(row.group(1) + " " + row.group(2).replaceAll("\\?.*", ""));
    }
    assertThat(documented).isEqualTo(api.mounted());
  }

  @Test
  void discovery_saysWhoAnswers() {
    var json = api.get("/api/v1").ok(200);
    assertThat(json.path("kind").asText()).isEqualTo("Discovery");
    assertThat(json.path("replica").asText()).isEqualTo("coxswain-0");
    assertThat(json.path("authentication").asText()).isEqualTo("none");
  }

  @Test
  void everyRoute_answersEveryOtherMethodWith405AndAllow() {
    String id = api.demo.put("a", "b", dev.coxswain.view.Phase.READY, 0, null);
    Set<String> paths = new TreeSet<>();
    Set<String> mounted = api.mounted();
    mounted.forEach(route -> paths.add(route.substring(route.indexOf(' ') + 1)));
    assertThat(paths).hasSizeGreaterThan(10);
    for (String path : paths) {
      String address =
          path.replace("{c}", "demo")
              .replace("{id}", id)
              .replace("{l}", "default")
              .replace("{p}", "copier")
              .replace("{x}", "0123456789ab")
              .replace("{op}", "op-1")
              .replace("{q}", "r-1")
              .replace("{r}", "coxswain-0");
      for (String method : new String[] {"PUT", "OPTIONS", "TRACE", "PROPFIND"}) {
        if (mounted.contains(method + " " + path)) {
          continue;
        }
        var answer = api.send(api.request(address).method(method, BodyPublishers.noBody()));
        answer.problem(405, "method-not-allowed");
        assertThat(Set.of(answer.header("Allow").split(", ")))
            .as(path)
            .contains(
                mounted.stream()
                    .filter(route -> route.endsWith(" " + path))
                    .map(route -> route.substring(0, route.indexOf(' ')))
                    .toArray(String[]::new));
      }
    }
  }

  @Test
  void unknownPath_is404() {
    api.get("/api/v2").problem(404, "not-found");
    api.get(Api.DEMO + "/nothing").problem(404, "not-found");
    api.get("/api/v1/controllers/demo/items/a/b/c").problem(404, "not-found");
  }

  @Test
  void aSlashAtTheEnd_isForgiven() {
    assertThat(api.get("/api/v1/").ok(200).path("kind").asText()).isEqualTo("Discovery");
    api.get("/api/v1/controllers/").ok(200);
  }

  @Test
  void head_isGetWithoutABody() {
    var get = api.get("/api/v1/controllers");
    var head = api.send(api.request("/api/v1/controllers").method("HEAD", BodyPublishers.noBody()));
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.http().body()).isEmpty();
    assertThat(head.header("Content-Type")).isEqualTo("application/json");
    assertThat(get.header("Content-Type")).isEqualTo("application/json");
  }

  @Test
  void unknownQueryParameter_isNamed() {
    for (String path :
        new String[] {
          "/api/v1",
          "/api/v1/controllers",
          Api.DEMO,
          Api.DEMO + "/items",
          "/api/v1/limiters",
          Api.item("YS9i"),
          Api.item("YS9i") + "/explain"
        }) {
      var problem = api.get(path + "?fazing=1").problem(400, "invalid-query");
      assertThat(problem.at("/errors/0/parameter").asText()).as(path).isEqualTo("fazing");
    }
    api.post(Api.DEMO + "/pause?force=1", "{\"reason\":\"x\"}").problem(400, "invalid-query");
  }

  @Test
  void aReadWithABody_isRefused() {
    api.change("GET", "/api/v1", "{}").problem(400, "unexpected-body");
  }
}
