// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.Reviewers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the dashboard are for everybody, and nothing else is. */
class DashboardTest {

  private final Api api = new Reviewers().api(); // whoever sends no token is a stranger
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @AfterEach
  void close() {
    http.close();
    api.close();
  }

  private HttpResponse<String> send(String method, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api.port + path))
            .method(method, BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private static String header(HttpResponse<?> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  private static Path folder() {
    return Path.of(System.getProperty("basedir", "."))
        .resolve("src/main/resources/dev/coxswain/admin/internal/dashboard");
  }

  @Test
  void everyFile_isServedToStrangers_withTheStrictPolicy() throws Exception {
    for (String file : Dashboard.FILES) {
      String path = "/dashboard/" + (file.equals("index.html") ? "" : file);
      HttpResponse<String> answer = send("GET", path);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      assertThat(answer.body()).isEqualTo(Files.readString(folder().resolve(file)));
      assertThat(header(answer, "Content-Type")).as(file).matches("(text|image)/[a-z+]+.*");
      assertThat(header(answer, "Cache-Control")).isEqualTo("no-cache");
      assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(header(answer, "X-Frame-Options")).isEqualTo("DENY");
      assertThat(header(answer, "Referrer-Policy")).isEqualTo("no-referrer");
      assertThat(header(answer, "Content-Security-Policy"))
          .startsWith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
          .doesNotContain("unsafe");
    }
  }

  @Test
  void aFileThatTheClientHas_isNotSentAgain() throws Exception {
    String etag = header(send("GET", "/dashboard/main.js"), "ETag");
    assertThat(etag).matches("\"[0-9a-f]{1,8}-[0-9a-f]+\"");
    HttpResponse<String> same = send("GET", "/dashboard/main.js", "If-None-Match", etag);
    assertThat(same.statusCode()).isEqualTo(304);
    assertThat(same.body()).isEmpty();
    assertThat(header(same, "ETag")).isEqualTo(etag);
    assertThat(send("GET", "/dashboard/main.js", "If-None-Match", "\"other\"").statusCode())
        .isEqualTo(200);
  }

  @Test
  void head_hasNoBody_andOtherMethodsAreRefused() throws Exception {
    HttpResponse<String> head = send("HEAD", "/dashboard/");
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    for (String method : new String[] {"POST", "PUT", "DELETE", "OPTIONS"}) {
      HttpResponse<String> answer = send(method, "/dashboard/");
      assertThat(answer.statusCode()).as(method).isEqualTo(405);
      assertThat(header(answer, "Allow")).isEqualTo("GET, HEAD");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/dashboard"})
  void otherAddresses_leadToIt_belowAnyPrefix(String path) throws Exception {
    HttpResponse<String> answer = send("GET", path);
    assertThat(answer.statusCode()).isEqualTo(302);
    assertThat(header(answer, "Location")).isEqualTo("dashboard/");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/dashboard/nothing.js",
        "/dashboard/index.html",
        "/dashboard/dashboard/",
        "/dashboard/main.js/",
        "/dashboard/openapi.json",
        "/dashboard/Dashboard.class",
        "/dashboards/",
        "/index.html"
      })
  void anyOtherAddress_isNotThereForStrangers(String path) throws Exception {
    assertThat(send("GET", path).statusCode()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/dashboard/../openapi.json",
        "/dashboard/%2e%2e/openapi.json",
        "/dashboard/..%2fopenapi.json",
        "/dashboard//main.js",
        "/dashboard/%5c..%5copenapi.json"
      })
  void noPath_leadsOut(String path) {
    assertThat(api.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ");
  }

  @Test
  void theList_isWhatIsThere_andWhateverIsImported() throws IOException {
    try (Stream<Path> files = Files.list(folder())) {
      assertThat(new TreeSet<>(files.map(file -> file.getFileName().toString()).toList()))
          .isEqualTo(new TreeSet<>(Dashboard.FILES));
    }
    Pattern named =
        Pattern.compile("(?:from '\\./|(?:src|href)=\")([a-z.]+\\.(?:js|css|svg))['\"]");
    for (String file : Dashboard.FILES) {
      named
          .matcher(Files.readString(folder().resolve(file)))
          .results()
          .forEach(found -> assertThat(Dashboard.FILES).as(file).contains(found.group(1)));
    }
  }

  /** The policy of the browser would stop it; this says it before anybody opens one. */
  @Test
  void noFile_makesMarkupOfText_orReachesElsewhere() throws IOException {
    Pattern forbidden =
        Pattern.compile(
            "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|\\beval\\(|new Function"
                + "|srcdoc|javascript:|style=\"|<style|\\son[a-z]+=\"|localStorage\\.setItem\\('coxswain\\.token");
    for (String file : Dashboard.FILES) {
      String text = Files.readString(folder().resolve(file));
      assertThat(forbidden.matcher(text).find()).as(file).isFalse();
      assertThat(text.replace("http://www.w3.org/2000/svg", "")).as(file).doesNotContain("://");
    }
  }
}
