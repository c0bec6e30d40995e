// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.browser.Browser;
import org.junit.jupiter.api.Test;

/** What is shown, as a link. */
abstract class DashboardViews extends DashboardSuite {

  DashboardViews(DashboardRun run) {
    super(run);
  }

  private boolean shows(String column) throws Exception {
    return browser
        .script(
            "return document.querySelector('.items .list .col-"
                + column
                + "').getClientRects().length > 0;")
        .asBoolean();
  }

  private double rowHeight() throws Exception {
    return browser
        .script("return document.querySelector('.items .list tr').getBoundingClientRect().height;")
        .asDouble();
  }

  @Test
  void aView_hasFilterOrderColumnsAndDensity_andIsOpenedByItsName() throws Exception {
    run.go("controllers/invoices?name=invoice-1*&sort=item.down");
    browser.await("eleven items", () -> browser.count(".items .list tr") == 11);
    double comfortable = rowHeight();
    browser.click(".columns summary");
    browser.click("input[name=col-trigger]");
    browser.await("no triggers", () -> !shows("trigger"));
    browser.press("Views");
    browser.choose("select[name=density]", "compact");
    browser.await("lower rows", () -> rowHeight() < comfortable);
    browser.fill("input[name=view]", "ones");
    browser.press("Save");
    browser.awaitText(".views", "ones");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone("dialog");
    String address = browser.address();
    assertThat(address)
        .contains("name=invoice-1*", "sort=item.down", "density=compact", "cols=phase")
        .doesNotContain("trigger", "token");

    browser.press("Views");
    browser.choose("select[name=density]", "comfortable");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone("dialog");
    run.go("limiters");
    browser.awaitText("h1", "Limiters");
    browser.press("Views");
    browser.press("ones");
    browser.awaitText("h1", "invoices");
    browser.await("eleven items", () -> browser.count(".items .list tr") == 11);
    assertThat(browser.address()).isEqualTo(address);
    assertThat(rowHeight()).isLessThan(comfortable);
    assertThat(shows("trigger")).isFalse();
    assertThat(browser.text(".items .list th")).isEqualTo("billing/invoice-19");

    browser.press("Views");
    browser.press("Remove");
    browser.awaitText("dialog", "No view is stored");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone("dialog");
    assertThat(browser.console()).isEmpty();
  }

  /** The storage of a browser is written by other versions, too, and by people. */
  @Test
  void views_areBounded_andWhatIsNoneIsLeftOut() throws Exception {
    browser.script(
        """
        const views = Array.from({length: 20}, (_, i) => ({name: 'view ' + i, address: '#/limiters'}));
        localStorage.setItem('coxswain.views', JSON.stringify([{name: 'elsewhere', address: 'https://example.com'}, null, 7, ...views]));
        """);
    browser.press("Views");
    browser.awaitText(".views", "view 19");
    assertThat(browser.count(".views li")).isEqualTo(20);
    assertThat(browser.text(".views")).doesNotContain("elsewhere");
    browser.fill("input[name=view]", "one more");
    browser.press("Save");
    browser.awaitText("dialog [role=alert]", "20 views are stored");
    browser.script("localStorage.setItem('coxswain.views', 'no JSON');");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone("dialog");
    browser.press("Views");
    browser.awaitText("dialog", "No view is stored");
    browser.script("localStorage.removeItem('coxswain.views');");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone("dialog");
    assertThat(browser.console()).isEmpty();
  }
}
