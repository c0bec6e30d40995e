// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import dev.coxswain.host.e2e.browser.Browser;
import org.junit.jupiter.api.BeforeEach;

/** Tests of the dashboard as an administrator sees it, each with a browser that has just signed in. */
abstract class DashboardSuite {

  final DashboardRun run;
  final Browser browser;

  DashboardSuite(DashboardRun run) {
    this.run = run;
    this.browser = run.browser;
  }

  @BeforeEach
  void signIn() throws Exception {
    run.signIn(DashboardRun.ADMIN);
    browser.console(); // what is in it is from before
  }

  /** Answers the requests to a path from now on, instead of the host. */
  void answer(String path, int status, String body) throws Exception {
    browser.script(
        """
        const host = window.fetch;
        window.fetch = (url, options) => new URL(url, location.href).pathname.endsWith('/api/v1%s')
            ? Promise.resolve(new Response(JSON.stringify(%s), {status: %d}))
            : host(url, options);
        """
            .formatted(path, body, status));
  }
}
