// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.browser.Browser;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The dashboard when something is in its way: a prefix, a missing right, a host that is gone. */
abstract class DashboardFaults {

  private final DashboardRun run;
  private final Browser browser;

  DashboardFaults(DashboardRun run) {
    this.run = run;
    this.browser = run.browser;
  }

  @Test
  void belowAPrefix_forViewers_andWithoutItsHost() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      int port = prefixed(vertx, URI.create(run.admin).getPort());
      String root = "http://127.0.0.1:" + port + "/coxswain/";
      browser.open(root + "#token=" + DashboardRun.VIEWER); // the redirection keeps the fragment
      browser.awaitText(".controllers tbody", "checkout");
      browser.awaitText(".top", "Live");
      assertThat(browser.address()).startsWith(root + "dashboard/");

      run.go("controllers/checkout");
      browser.awaitText(".items .list", "order-");
      browser.await(
          "buttons that viewers may not use",
          () ->
              browser.count("main button[aria-disabled=true]")
                  == 7 + browser.count("main .causes li"));
      assertThat(browser.console()).isEmpty();

      run.replicas.getFirst().destroyForcibly();
      browser.awaitText(".banners", "These numbers are old.");
      browser.awaitText(".top", "Interrupted");
      assertThat(browser.count(".items .list tr")).isGreaterThan(20); // the last state stays
      browser.screenshot(DashboardRun.SCREENSHOTS.resolve("interrupted.png"));
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  /** What an ingress does: takes the prefix away and passes the rest on. */
  private static int prefixed(Vertx vertx, int target) {
    HttpClient client = vertx.createHttpClient();
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(request -> {
              if (request.uri().startsWith("/coxswain/")) {
                pass(client, target, request);
              } else {
                request.response().setStatusCode(404).end();
              }
            });
    return server.listen(0, "127.0.0.1").await().actualPort();
  }

  private static void pass(HttpClient client, int target, HttpServerRequest request) {
    client
        .request(
            new RequestOptions()
                .setMethod(HttpMethod.valueOf(request.method().name()))
                .setHost("127.0.0.1")
                .setPort(target)
                .setURI(request.uri().substring("/coxswain".length())))
        .compose(forward -> {
          request
              .headers()
              .forEach(header -> forward.putHeader(header.getKey(), header.getValue()));
          request.response().closeHandler(gone -> forward.reset());
          return forward.send(); // who only looks sends no bodies
        })
        .compose(answer -> {
          request.response().setStatusCode(answer.statusCode());
          request.response().headers().setAll(answer.headers());
          return answer.pipeTo(request.response());
        })
        .onFailure(gone -> request.connection().close());
  }
}
