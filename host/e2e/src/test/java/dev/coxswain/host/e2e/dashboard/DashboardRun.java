// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.e2e.browser.Browser;
import dev.coxswain.host.e2e.browser.Chromium;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import dev.coxswain.view.ItemId;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** A real host with the {@link DashboardStage}, and a browser for its dashboard. For one thread. */
final class DashboardRun implements AutoCloseable {

  static final String ADMIN = "token-of-the-admin-0123456789abcdef";

  /** Of an operator of one namespace, who may look at the list of controllers as well. */
  static final String SHOP = "token-of-the-shop-operator-0123456789abcdef";

  static final String VIEWER = "token-of-the-viewer-0123456789abcdef";
  static final Path SCREENSHOTS = Path.of("target", "screenshots").toAbsolutePath();

  final Launcher dev;
  final Browser browser;
  final String admin; // of the first replica
  final String apiServer;
  final List<String> admins = new ArrayList<>();
  final List<ProcessHandle> replicas = new ArrayList<>();

  private DashboardRun(Launcher dev, Browser browser, JsonNode report) {
    this.dev = dev;
    this.browser = browser;
    for (JsonNode replica : report.get("replicas")) {
      admins.add(replica.get("admin").asText());
      replicas.add(dev.child(replica.get("pid").asLong()));
    }
    this.admin = admins.getFirst();
    this.apiServer = report.get("apiServer").asText();
  }

  /** Starts one replica, or as set by other flags of {@code dev}. */
  static DashboardRun start(Path folder, String... flags) throws Exception {
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
            - name: shirley
              tokenHashes: [%s]
              roles: [operator]
              namespaces: [shop]
              rules: [{resources: [controllers], verbs: [get, list]}]
            """
                .formatted(hash(ADMIN), hash(VIEWER), hash(SHOP)));
    Path plugins =
        Plugins.folder(
            folder,
            DashboardStage.class,
            List.of(
                DashboardStage.Checkout.class.getName(), DashboardStage.Invoices.class.getName()));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "dev",
                "--json",
                "--ports=auto",
                "--set=logging.level=error",
                "--set=admin.auth.mode=tokenFile",
                "--set=admin.auth.tokenFile=" + tokens));
    arguments.addAll(List.of(flags));
    Launcher dev =
        Launcher.start(
            folder,
            Map.of("COXSWAIN_CLASSPATH", plugins.toString()),
            arguments.toArray(String[]::new));
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

  /**
   * Goes to the overview as a user. A page of this user stays, as long as nothing covers it and no test has changed it.
   */
  void signIn(String token) throws Exception {
    boolean stays =
        browser
            .script(
                "return location.href.startsWith('%s/dashboard/') && !window.marker"
                        .formatted(admin)
                    + " && sessionStorage.getItem('coxswain.token') === '%s'".formatted(token)
                    + " && !document.querySelector('dialog[open], .dialog');")
            .asBoolean();
    if (stays) {
      go("");
      browser.await("the overview", () -> browser.count(".controllers tbody tr") >= 2);
      browser.awaitText(".top", "Live");
    } else {
      signInByLink(token);
    }
  }

  /** Opens a page as a user, by a link with a token. */
  void signInByLink(String token) throws Exception {
    signIn(0, token);
    browser.awaitText(".top", "Live");
  }

  /** Opens the page that a replica serves. */
  void signIn(int replica, String token) throws Exception {
    browser.open(admins.get(replica) + "/dashboard/#token=" + token);
    browser.await("the overview", () -> browser.count(".controllers tbody tr") >= 2);
  }

  /** Returns what a cell of the overview shows; empty when it is not there. */
  String cell(String controller, int column) throws Exception {
    return browser
        .script(
            "return [...document.querySelectorAll('.controllers tbody tr')].find(row =>"
                + " row.cells[0].innerText === '"
                + controller
                + "')?.cells["
                + column
                + "].innerText ?? '';")
        .asText();
  }

  /** Goes to a page as a link in the dashboard would. */
  void go(String page) throws Exception {
    browser.script("location.hash = " + new ObjectMapper().writeValueAsString("#/" + page) + ";");
  }

  /** Takes an item out of the queue of one replica, without the page. */
  void drop(int replica, String controller, ItemId item) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      String path = "/api/v1/controllers/" + controller + "/items/" + item.encoded();
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(admins.get(replica) + path + "?scope=local"))
                  .method("DELETE", HttpRequest.BodyPublishers.ofString("{\"reason\":\"INC-7\"}"))
                  .header("Content-Type", "application/json")
                  .header("Authorization", "Bearer " + ADMIN)
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    }
  }

  /** Makes an example fail, or succeed, from now on. */
  void letTrialFail(String name, boolean fail) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      String url =
          apiServer + "/apis/error-backoff.coxswain.dev/v1/namespaces/default/trials/" + name;
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(url))
                  .method(
                      "PATCH",
                      HttpRequest.BodyPublishers.ofString(
                          "{\"spec\":{\"outcome\":\"" + (fail ? "Error" : "Done") + "\"}}"))
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
