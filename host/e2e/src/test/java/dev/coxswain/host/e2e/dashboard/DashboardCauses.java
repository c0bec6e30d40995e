// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Pausing what fails of one cause, and who comes later sees it in the timeline. */
abstract class DashboardCauses extends DashboardSuite {

  private static final String OF_CHECKOUT = "main .causes li";

  DashboardCauses(DashboardRun run) {
    super(run);
  }

  @Test
  void aCause_isPausedAndResumed_andTheTimelineHasBoth() throws Exception {
    run.go("controllers/checkout");
    browser.awaitText(OF_CHECKOUT, "the vendor answered");
    browser.click(OF_CHECKOUT + " button");
    browser.awaitText(".dialog", "an event, or a retry by you, starts an attempt all the same");
    browser.fill(".dialog input[name=reason]", "the vendor moves");
    browser.press("Pause the retries");
    browser.awaitText(OF_CHECKOUT, "the vendor moves");
    browser.awaitText("main .banner", "A cause is paused");
    run.go("");
    browser.awaitText("main", "checkout does not retry what fails of");
    run.go("timeline?type=change&controller=checkout");
    browser.awaitText("main tbody", "the vendor moves");
    assertThat(browser.text("main tbody")).contains("alice", "pause", "checkout");

    run.go("controllers/checkout");
    browser.awaitText(OF_CHECKOUT, "the vendor moves");
    browser.press("Resume retries…");
    browser.fill(".dialog input[name=reason]", "the vendor is back");
    browser.press("Resume the retries");
    browser.awaitNone("main .banner");
    run.go("timeline");
    browser.awaitText("main tbody", "the vendor is back");
    browser.awaitText("main tbody", "Replica started");
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void theNumberOfACause_leadsToItsItems() throws Exception {
    run.go("");
    browser.awaitText(".causes", "the vendor answered");
    browser.click(".cause-items a");
    browser.awaitText(".items .list", "order-");
    browser.await(
        "the items in the window",
        () ->
            browser
                .script(
                    "const top ="
                        + " document.querySelector('.items').getBoundingClientRect().top; return top >"
                        + " 0 && top < innerHeight;")
                .asBoolean());
  }
}
