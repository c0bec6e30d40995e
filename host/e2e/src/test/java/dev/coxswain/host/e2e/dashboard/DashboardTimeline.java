// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.browser.Browser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The events and the charts of the timeline on one axis, and lists of a telephone. */
abstract class DashboardTimeline extends DashboardSuite {

  private static final String CHOSEN = "tr[aria-current]";
  private static final String MARK = ".mark[aria-pressed=true]";

  DashboardTimeline(DashboardRun run) {
    super(run);
  }

  @AfterEach
  void asBefore() throws Exception {
    browser.script("window.marker = 1;"); // answers of this page are no longer those of the host
    browser.size(1280, 860);
  }

  private void openTimeline() throws Exception {
    run.go("timeline");
    browser.await("charts", () -> browser.count(".on-axis .plot:not([hidden])") == 4);
    browser.await("marks", () -> browser.count(".mark") > 0);
  }

  private String focused() throws Exception {
    return browser
        .script(
            "const one = document.activeElement; return one.className || one.closest('tr')?.dataset.event || one.localName;")
        .asText();
  }

  private boolean isAt(String css) throws Exception {
    return browser
        .script(
            "const one = document.querySelector('"
                + css
                + "')?.getBoundingClientRect(); return Boolean(one) && one.top >= 0 && one.bottom <= innerHeight;")
        .asBoolean();
  }

  @Test
  void aMark_leadsToItsRow_theRowToItsMark_andTheAddressToBoth() throws Exception {
    openTimeline();
    browser.click(".mark");
    browser.await("a row", () -> browser.count(CHOSEN) == 1);
    browser.await("the row is seen", () -> isAt(CHOSEN));
    assertThat(browser.count(MARK)).isEqualTo(1);
    String event =
        browser.script("return document.querySelector('" + CHOSEN + "').dataset.event;").asText();
    assertThat(focused()).isEqualTo(event);

    browser.click(CHOSEN + " a");
    browser.await("the mark has the focus", () -> focused().startsWith("mark"));
    browser.await("the mark is seen", () -> isAt(MARK));

    browser.script("document.querySelector('[aria-label=\"Shorter time\"]').click();");
    browser.await("a fixed time", () -> browser.address().contains("from="));
    String address = browser.address();
    assertThat(address).contains("to=", "event=");
    run.go("limiters");
    browser.awaitText("h1", "Limiters");
    run.go(address.substring(address.indexOf("#/") + 2));
    browser.await("the same row", () -> browser.count(CHOSEN) == 1);
    assertThat(
            browser
                .script("return document.querySelector('" + CHOSEN + "').dataset.event;")
                .asText())
        .isEqualTo(event);
    browser.await("its mark", () -> browser.count(MARK) == 1);
    browser.press("Now");
    browser.await("the present", () -> !browser.address().contains("from="));
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void aTimeThatIsRead_isReadInAllCharts_andAloudByKeyboard() throws Exception {
    openTimeline();
    browser.await("a sample", () -> !numbers().isEmpty() && !numbers().contains("–"));
    browser.script("document.querySelector('.on-axis .plot').focus();");
    browser.keys(Browser.END);
    browser.await("a line", () -> browser.count(".axis-cursor:not([hidden])") == 1);
    assertThat(browser.text(".time-charts > output"))
        .contains("Ready", "Delayed", "Failing", "Success", "Retries");
    assertThat(browser.text(".reading")).containsPattern("^\\d\\d:\\d\\d:\\d\\d");
    browser.keys(Browser.ESCAPE);
    browser.await("no line", () -> browser.count(".axis-cursor:not([hidden])") == 0);

    browser.script("document.querySelector('.mark[tabindex=\"0\"]').focus();");
    browser.await("the minute of a mark", () -> browser.count(".reading .badge") > 0);
    assertThat(browser.count(".mark[tabindex=\"0\"]")).as("one stop for the tab key").isEqualTo(1);
    assertThat(browser.console()).isEmpty();
  }

  private String numbers() throws Exception {
    return browser
        .script(
            "return [...document.querySelectorAll('.on-axis .legend b')].map(one => one.innerText).join(' ');")
        .asText();
  }

  @Test
  void withoutCharts_theEventsAreThere_andTheReason() throws Exception {
    answer("/stats", 403, "{title: 'Forbidden', detail: 'no right to list controllers'}");
    run.go("timeline");
    browser.awaitText(".time-charts [role=alert]", "You may not see this");
    assertThat(browser.count(".mark")).isPositive();
    assertThat(browser.text("main tbody")).contains("Replica started");
    run.go("timeline?from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z&event=x");
    browser.awaitText(".time-charts", "the host remembers the last hour");
    browser.awaitText("main", "Nothing has happened");
    browser.awaitText("main", "The event of this address is not kept any more");
    browser.console(); // the refusal is there on purpose
  }

  /** What scrolls sideways, and what of the rows is not in the window. */
  private String besideTheWindow() throws Exception {
    return browser
        .script(
            """
            const words = one => one.localName + '.' + one.getAttribute('class') + ' ' + (one.innerText ?? '').slice(0, 40).replace(/\\s+/g, ' ') + ' ' + one.scrollWidth;
            return [
              ...[document.documentElement, ...document.querySelectorAll('main .scroll')].filter(one => one.scrollWidth > one.clientWidth),
              ...[...document.querySelectorAll('body *')].filter(one =>
                one.getBoundingClientRect().right > document.documentElement.clientWidth),
            ].map(words).join('; ');
            """)
        .asText();
  }

  @Test
  void onATelephone_nothingIsBesideTheWindow() throws Exception {
    browser.size(390, 860);
    for (String page : new String[] {"timeline", "caches", "controllers/checkout"}) {
      run.go(page);
      browser.await("rows of " + page, () -> browser.count(".cards tbody tr, .items .list tr") > 0);
      assertThat(besideTheWindow()).as(page).isEmpty();
    }
    // The rows that are not drawn have the place of those that are.
    browser.await("an item", () -> browser.text(".items .list").contains("order-"));
    browser.script(
        "const rows = document.querySelector('.rows'); rows.scrollTop = rows.scrollHeight;");
    browser.await(
        "the rows further down", () -> browser.count(".items .list tr[aria-rowindex='100']") == 1);
    assertThat(browser.console()).isEmpty();
  }
}
