// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Changes as rows with their records, and their undo, from the message and from the row. */
abstract class DashboardChanges extends DashboardSuite {

  DashboardChanges(DashboardRun run) {
    super(run);
  }

  @Test
  void aPause_isUndoneFromItsMessage_andTheUndoFromItsRow() throws Exception {
    run.go("controllers/invoices");
    browser.press("Pause…");
    browser.fill(".dialog input[name=reason]", "the wrong controller");
    browser.press("Pause invoices");
    browser.awaitText("main .banner", "the wrong controller");
    browser.awaitText("#messages", "invoices is paused.");
    browser.click("#messages .message:last-child button:not(.plain)"); // older ones may be there
    browser.awaitText(".dialog .preview", "-> not paused");
    browser.fill(".dialog input[name=reason]", "undone at once");
    browser.press("Undo the change");
    browser.awaitNone("main .banner");

    run.go("audit?controller=invoices&actor=alice");
    browser.awaitText("main tbody tr", "undone at once");
    assertThat(browser.text("main tbody tr")).contains("alice", "resume", "invoices", "undoes");
    browser.awaitText("main tbody", "It was undone already by");
    browser.click("main tbody button[aria-expanded]");
    browser.awaitText("main tbody tr.records", "intent");
    assertThat(browser.text("main tbody tr.records")).contains("undone at once", "applied");
    assertThat(DashboardLooks.violations(browser)).isEmpty();

    browser.click("main tbody button[aria-label^='Undo resume']");
    browser.awaitText(".dialog .preview", "-> paused until");
    browser.fill(".dialog input[name=reason]", "it was the right one");
    assertThat(DashboardLooks.violations(browser)).isEmpty();
    browser.press("Undo the change");
    browser.awaitText("main tbody tr", "it was the right one");
    run.go("controllers/invoices");
    browser.awaitText("main .banner", "the wrong controller"); // the pause as it was
    browser.press("Resume…");
    browser.fill(".dialog input[name=reason]", "done");
    browser.press("Resume invoices");
    browser.awaitNone("main .banner");
    run.go("audit?view=records&controller=invoices");
    browser.awaitText("main tbody", "intent");
    assertThat(browser.console()).isEmpty();
  }
}
