// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows that are selected, and what is done to them. */
abstract class DashboardSelection extends DashboardSuite {

  DashboardSelection(DashboardRun run) {
    super(run);
  }

  @BeforeEach
  void openItems() throws Exception {
    run.go("controllers/invoices?sort=item.up");
    browser.await("rows", () -> browser.count(".items .list tr") >= 30);
  }

  /** Clicks the box of a row, as with the shift key. */
  private void pick(String item, boolean shift) throws Exception {
    browser.script(
        "document.querySelector('.items .list input[aria-label=\"Select billing/"
            + item
            + "\"]').dispatchEvent(new MouseEvent('click', {bubbles: true, shiftKey: "
            + shift
            + "}));");
  }

  private int picked() throws Exception {
    return browser.count(".items .list input:checked");
  }

  @Test
  void selectedRows_areChanged_andNoOthers() throws Exception {
    pick("invoice-10", false);
    pick("invoice-14", true);
    browser.awaitText(".bulk", "5 items selected:");
    pick("invoice-12", false); // not any longer
    browser.awaitText(".bulk", "4 items selected:");
    assertThat(picked()).isEqualTo(4);
    browser.press("Requeue…");
    browser.awaitText(".preview", "4 items match");
    assertThat(browser.text(".preview")).contains("Delayed 4", "billing 4");
    browser.fill(".dialog input[name=delay]", "3h");
    browser.fill(".dialog input[name=reason]", "INC-9 only these");
    browser.press("Requeue 4 items");
    browser.awaitText(".dialog", "4 done of 4 items.");
    browser.press("Close");
    browser.awaitText(".bulk", "All items that match:");
    assertThat(picked()).isZero();
    run.go("audit?actor=alice&action=requeue");
    browser.awaitText("main tbody", "INC-9 only these");
    assertThat(browser.text("main tbody"))
        .contains(
            "billing/invoice-10", "billing/invoice-11", "billing/invoice-13", "billing/invoice-14")
        .doesNotContain("billing/invoice-12");
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void all_areTheFilter_whoseOperationsCountThem() throws Exception {
    browser.click(".items thead input");
    browser.awaitText(".bulk", "All items that match are selected:");
    assertThat(picked()).isEqualTo(browser.count(".items .list tr"));
    browser.press("Reset failures…");
    browser.awaitText(".preview", "40 items match");
    browser.press("Cancel");
    browser.press("Select none");
    browser.await("none", () -> picked() == 0);
    assertThat(browser.console()).isEmpty();
  }

  /** A selection belongs to the list it was made in, and has a bound. */
  @Test
  void theSelection_isBounded_andEndsWithItsFilter() throws Exception {
    pick("invoice-10", false);
    browser.awaitText(".bulk", "1 item selected:");
    run.go("controllers/invoices?name=invoice-1*");
    browser.awaitText(".bulk", "All items that match:");
    assertThat(
            browser
                .script(
                    """
                    const { Selection, MOST_SELECTED } = await import(new URL('selection.js', document.querySelector('script[type=module]').src));
                    const selection = new Selection();
                    const fits = selection.set(Array.from({length: 150}, (_, i) => ({id: 'x' + i, key: {name: 'x' + i}})), true);
                    return [fits, selection.size, MOST_SELECTED];
                    """)
                .toString())
        .isEqualTo("[false,100,100]");
  }
}
