// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A real host with the examples and the {@link DashboardStage}, and a browser for its dashboard.
 * For one thread.
 */
final class DashboardRun implements AutoCloseable {

  static final String ADMIN = "token-of-the-admin-0123456789abcdef";
  static final String VIEWER = "token-of-the-viewer-0123456789abcdef";
  static final Path SCREENSHOTS = Path.of("target", "screenshots").toAbsolutePath();

  final Launcher dev;
  final Browser browser;
  final String admin;
  final String apiServer;
  final ProcessHandle replica;

  private DashboardRun(Launcher dev, Browser browser, JsonNode report) {
    this.dev = dev;
    this.browser = browser;
    JsonNode only = report.get("replicas").get(0);
    this.admin = only.get("admin").asText();
    this.apiServer = report.get("apiServer").asText();
    this.replica = dev.child(only.get("pid").asLong());
  }

  static DashboardRun start(Path folder) throws Exception {
    Chromium chromium = Chromium.installed();
    Path tokens =
        Files.writeString(
            folder.resolve("tokens.yaml"),
            """
            apiVersion: config.coxswain.dev/v1alpha1
            kind: AdminTokens
            principals:
            - {name: alice, tokenHashes: [%s], roles: [admin]}
            - {name: victor, tokenHashes: [%s], roles: [viewer]}
            """
                .formatted(hash(ADMIN), hash(VIEWER)));
    Path plugins =
        Plugins.folder(
            folder,
            DashboardStage.class,
            List.of(
                DashboardStage.Checkout.class.getName(), DashboardStage.Invoices.class.getName()));
    Launcher dev =
        Launcher.start(
            folder,
            Map.of("COXSWAIN_CLASSPATH", plugins.toString()),
            "dev",
            "--json",
            "--ports=auto",
            "--set=logging.level=error",
            "--set=admin.auth.mode=tokenFile",
            "--set=admin.auth.tokenFile=" + tokens);
    try {
      JsonNode report = new ObjectMapper().readTree(dev.firstLine());
      return new DashboardRun(dev, Browser.start(chromium, folder), report);
    } catch (Exception | AssertionError e) {
      dev.close();
      throw e;
    }
  }

  private static String hash(String token) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
  }

  /** Opens a page as somebody, by a link with their token. */
  void signIn(String token) throws Exception {
    browser.open(admin + "/dashboard/#token=" + token);
    browser.await("the overview", () -> browser.count(".controllers tbody tr") >= 5);
    browser.awaitText(".top", "Live");
  }

  /** Goes to a page as a link in the dashboard would. */
  void go(String page) throws Exception {
    browser.script("location.hash = " + new ObjectMapper().writeValueAsString("#/" + page) + ";");
  }

  /** Makes an example fail, or succeed, from now on. */
  void letDemoFail(String name, boolean fail) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      String url = apiServer + "/apis/demo.coxswain.dev/v1/namespaces/default/demos/" + name;
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(url))
                  .method(
                      "PATCH",
                      HttpRequest.BodyPublishers.ofString("{\"spec\":{\"fail\":" + fail + "}}"))
                  .header("Content-Type", "application/merge-patch+json")
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
  }

  @Override
  public void close() throws Exception {
    try {
      browser.close();
    } finally {
      dev.close();
    }
  }
}
