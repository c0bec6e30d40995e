// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.host.e2e.browser.Browser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** The dashboard in a real browser while the API server is away: nothing looks healthy. */
abstract class DashboardOutage {

  private final DashboardRun run;

  DashboardOutage(DashboardRun run) {
    this.run = run;
  }

  @Test
  void withoutAnApiServer_eachPageSaysSo_untilItIsBack() throws Exception {
    Browser browser = run.browser;
    run.signIn(DashboardRun.ADMIN);
    assertThat(browser.count(".banners .bad")).isZero();
    stopApiServer(run.apiServer);

    browser.awaitText(".banners", "API server unreachable");
    browser.awaitText(".banners", "has not answered replica coxswain-0 since");
    browser.awaitText(".banners", "Replica suspended");
    browser.awaitText(".controllers tbody tr", "API server unreachable");
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("outage-overview.png"));
    run.go("replicas");
    browser.awaitText(".grid tbody tr", "API server unreachable");
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("outage-replicas.png"));

    browser.awaitNone(".banners .bad"); // the outage has ended
  }

  /**
   * For long enough that the replica cannot renew its Lease, and that a browser on a busy machine has
   * looked at two pages.
   */
  private static void stopApiServer(String url) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      try {
        http.send(
            HttpRequest.newBuilder(URI.create(url + "/coxswain/faults"))
                .header("Content-Type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        "{\"kind\":\"refuseConnections\",\"mode\":\"closed\",\"duration\":\"90s\"}"))
                .build(),
            BodyHandlers.discarding());
      } catch (IOException e) {
        // it may reset the connection of this very request
      }
      assertThatThrownBy(() ->
              http.send(
                  HttpRequest.newBuilder(URI.create(url + "/version")).build(),
                  BodyHandlers.discarding()))
          .as("the outage has begun")
          .isInstanceOf(IOException.class);
    }
  }
}
