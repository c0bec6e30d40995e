// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/**
 * The route of a probe: 200 or 503, and with {@code ?verbose} a line for each check, as in the API
 * server of Kubernetes.
 *
 * <p>Thread rule: called on the event loop of the server.
 */
public final class ProbeRoute implements Handler<HttpServerRequest> {

  private final String name;
  private final Check.Probe probe;

  /**
   * Creates the route.
   *
   * @param name the name of the probe, such as {@code readyz}
   * @param probe its checks
   */
  public ProbeRoute(String name, Check.Probe probe) {
    this.name = name;
    this.probe = probe;
  }

  @Override
  public void handle(HttpServerRequest request) {
    List<Check> checks = probe.get();
    boolean failed = checks.stream().anyMatch(Check::fails);
    StringBuilder text = new StringBuilder();
    if (failed || request.params().contains("verbose")) {
      for (Check check : checks) {
        text.append(check.problem() == null ? "[+]" : check.counts() ? "[-]" : "[!]")
            .append(check.name())
            .append(check.problem() == null ? " ok" : ": " + check.problem())
            .append('\n');
      }
      text.append(name).append(failed ? " check failed\n" : " check passed\n");
    } else {
      text.append("ok");
    }
    request
        .response()
        .setStatusCode(failed ? 503 : 200)
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .putHeader("Cache-Control", "no-store")
        .end(text.toString());
  }
}
