// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.browser.Browser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The keys of the dashboard, which can be turned off. */
abstract class DashboardKeys extends DashboardSuite {

  DashboardKeys(DashboardRun run) {
    super(run);
  }

  @BeforeEach
  void openItems() throws Exception {
    run.go("controllers/invoices?sort=item.up");
    browser.await("rows", () -> browser.count(".items .list tr") >= 30);
  }

  private String focused() throws Exception {
    return browser.script("return document.activeElement.innerText.trim();").asText();
  }

  @Test
  void keys_moveSelectAndOpen() throws Exception {
    browser.script(
        "document.querySelector('.bulk').scrollIntoView(); document.activeElement.blur();");
    browser.keys("j");
    assertThat(focused()).isEqualTo("billing/invoice-0");
    browser.keys("j", "j", "k");
    assertThat(focused()).isEqualTo("billing/invoice-1");
    browser.keys("x");
    browser.awaitText(".bulk", "1 item selected:");
    browser.keys("j", "j", "X");
    browser.awaitText(".bulk", "3 items selected:");
    browser.keys("x");
    browser.awaitText(".bulk", "2 items selected:");
    String row = focused();
    browser.keys(Browser.ENTER);
    browser.awaitText(".drawer h2", row.substring("billing/".length()));
    browser.keys("j", "x", "/"); // the page behind a dialog does not receive them
    browser.keys(Browser.ESCAPE);
    browser.awaitNone(".drawer");
    browser.await("the focus on the row", () -> focused().equals(row));
    browser.awaitText(".bulk", "2 items selected:");
    browser.keys("g", "l");
    browser.awaitText("h1", "Limiters");
    browser.keys("g", "o");
    browser.awaitText("h1", "Overview");
    browser.keys("j");
    browser.await("a controller", () -> !focused().isEmpty());
    assertThat(
            browser
                .script("return document.activeElement.closest('.controllers') !== null;")
                .asBoolean())
        .isTrue();
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void noKey_isTakenFromAField() throws Exception {
    String address = browser.address();
    browser.fill("input[name=errorClass]", "jxk/?gl");
    assertThat(browser.script("return document.activeElement.value;").asText())
        .isEqualTo("jxk/?gl");
    assertThat(browser.count("dialog[open]")).isZero();
    assertThat(browser.address()).isEqualTo(address);
    browser.awaitText(".bulk", "All items that match:");
    browser.fill("input[name=errorClass]", "");
  }

  /** WCAG 2.1.4: speech input writes single letters. */
  @Test
  void theKeys_canBeTurnedOff_andStayOff() throws Exception {
    browser.script("document.querySelector('h1').focus();");
    browser.keys("?");
    browser.awaitText("dialog", "to the next row of the table");
    browser.click("dialog input[name=shortcuts]");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone("dialog");
    browser.open(browser.address());
    browser.await("rows", () -> browser.count(".items .list tr") >= 30);
    browser.script("document.querySelector('h1').focus();");
    browser.keys("j", "/", "g", "l", "?", "x");
    assertThat(browser.script("return document.activeElement.localName;").asText()).isEqualTo("h1");
    assertThat(browser.text("h1")).isEqualTo("invoices");
    assertThat(browser.count("dialog[open]")).isZero();
    browser.click("button[aria-label='Keyboard shortcuts']"); // the list is there without keys
    browser.click("dialog input[name=shortcuts]");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone("dialog");
    browser.keys("j");
    browser.await("a row", () -> focused().startsWith("billing/"));
  }
}
