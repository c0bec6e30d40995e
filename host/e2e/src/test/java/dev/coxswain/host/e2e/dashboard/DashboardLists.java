// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The item list of a controller: any length of it, its order. Changes nothing at the host. */
abstract class DashboardLists extends DashboardSuite {

  private static final String ROWS = ".items .list tr";

  /**
   * Answers for the namespace {@code long} of a controller as a host with 100,000 items: in the order of their sequence numbers,
   * the position is the last one of a page. {@code gone} are those that have left the queue.
   */
  private static final String LONG_LIST =
      """
      if (!window.gone) {
        window.gone = new Set();
        window.sent = 0;
        const host = window.fetch;
        window.fetch = (url, options) => {
          const at = new URL(url, location.href);
          if (!at.pathname.endsWith('/controllers/checkout/items') || at.searchParams.get('namespace') !== 'long') {
            return host(url, options);
          }
          window.sent++;
          const items = [];
          let seq = Number(at.searchParams.get('continue') ?? 0);
          while (items.length < Number(at.searchParams.get('limit')) && seq < 100000) {
            if (!window.gone.has(++seq)) {
              items.push({id: 'long' + seq, key: {namespace: 'long', name: 'item-' + seq}, phase: 'delayed', failures: seq % 7,
                  failing: seq % 7 > 0, dirty: false, overdue: false, priority: 0, trigger: 'retry',
                  readyAt: '2026-11-20T10:02:11Z', seq, rev: '1'});
            }
          }
          return Promise.resolve(new Response(JSON.stringify({kind: 'ItemList', controller: 'checkout', replica: 'coxswain-0',
              partial: false, replicas: [{replica: 'coxswain-0', state: 'ok'}], items,
              continue: seq < 100000 ? String(seq) : undefined})));
        };
      }
      """;

  DashboardLists(DashboardRun run) {
    super(run);
  }

  private int rows() throws Exception {
    return browser.count(ROWS);
  }

  private List<String> names() throws Exception {
    List<String> names = new ArrayList<>();
    browser
        .script("return [...document.querySelectorAll('" + ROWS + " th')].map(one => one.title);")
        .forEach(name -> names.add(name.asText()));
    return names;
  }

  private void scrollTo(String position) throws Exception {
    browser.script(
        "const region = document.querySelector('.rows'); region.scrollTop = " + position + ";");
  }

  /** Returns the item that is seen first. */
  private String top() throws Exception {
    return browser
        .script(
            """
            const head = document.querySelector('.items thead th').getBoundingClientRect().bottom;
            return [...document.querySelectorAll('.items .list tr')]
                .find(one => one.getBoundingClientRect().bottom > head + 1)?.querySelector('th').innerText ?? '';
            """)
        .asText();
  }

  @Test
  void aLongList_hasFewRows_readsPagesAsItIsScrolled_andKeepsItsPlace() throws Exception {
    browser.script(LONG_LIST);
    run.go("controllers/checkout?namespace=long");
    browser.awaitText("main", "More than 100 items");
    for (int pages = 2; pages <= 14; pages++) {
      scrollTo("region.scrollHeight");
      browser.awaitText("main", "More than " + String.format("%,d", pages * 100) + " items");
      assertThat(rows()).isBetween(20, 120);
    }
    assertThat(browser.script("return window.sent;").asInt()).as("requests").isLessThan(60);

    scrollTo("900 * document.querySelector('" + ROWS + "').getBoundingClientRect().height + 7");
    browser.await("rows in the middle", () -> top().equals("long/item-901"));
    browser.script("for (let seq = 880; seq < 895; seq++) window.gone.add(seq);");
    browser.await("the rows that are gone", () -> !names().contains("long/item-890"));
    assertThat(top()).as("the list stays where it is").isEqualTo("long/item-901");

    scrollTo("0");
    browser.await("a page that was forgotten", () -> top().equals("long/item-1"));
    assertThat(browser.count(".items .gap")).isZero();
    browser.script("window.sent = 0;");
    browser.await("that the rows are read again", () -> sent() >= 2);
    assertThat(sent()).as("one request each time").isLessThanOrEqualTo(3);
    assertThat(browser.console()).isEmpty();
  }

  private int sent() throws Exception {
    return browser.script("return window.sent;").asInt();
  }

  /** As many pages as the window needs, however far it was scrolled. */
  @Test
  void theListInMemory_isBounded() throws Exception {
    JsonNode kept =
        browser.script(
            """
            const { ItemList, KEPT_PAGES } = await import(new URL('itemlist.js', document.querySelector('script[type=module]').src));
            const list = new ItemList();
            let most = 0;
            for (let i = 0; i < 1000; i++) {
              const items = Array.from({length: 100}, (_, j) => ({id: 'x' + (i * 100 + j), seq: i * 100 + j}));
              list.take(list.pages.at(-1), {items, continue: i < 999 ? 'c' + i : undefined});
              list.forgetFarFrom(i * 100, i * 100 + 60);
              most = Math.max(most, list.pages.filter(one => one.items).length);
            }
            return [list.count, list.ended, most, KEPT_PAGES, list.rows(500, 503).map(one => one.gap)];
            """);
    assertThat(kept.toString()).isEqualTo("[100000,true,6,6,[500,501,502]]");
  }

  @Test
  void aListThatIsWhole_isSortedByItsColumns_aLongerOneIsNot() throws Exception {
    run.go("controllers/invoices");
    browser.await("all of them", () -> rows() >= 30);
    browser.press("Item");
    browser.awaitText("main", "40 items");
    browser.await("an order", () -> sortOf("Item").equals("ascending"));
    assertThat(browser.address()).endsWith("?sort=item.up");
    assertThat(names()).isSorted();
    browser.press("Item");
    browser.await("the other order", () -> sortOf("Item").equals("descending"));
    assertThat(names()).isSortedAccordingTo(Comparator.reverseOrder());
    String link = browser.address();
    browser.open(link);
    browser.await("the same by its link", () -> sortOf("Item").equals("descending"));
    browser.press("Item");
    browser.await("the order of the host", () -> sortOf("Item").isEmpty());

    browser.script(LONG_LIST);
    run.go("controllers/checkout?namespace=long&sort=failures.down");
    browser.awaitText("main", "Not sorted: more than 2,000 items match");
    assertThat(sortOf("Failures")).isEmpty();
    assertThat(top()).isEqualTo("long/item-1");
    assertThat(browser.console()).isEmpty();
  }

  private String sortOf(String column) throws Exception {
    return browser
        .script(
            "return [...document.querySelectorAll('.items thead th')].find(one => one.innerText.startsWith('"
                + column
                + "'))?.getAttribute('aria-sort') ?? '';")
        .asText();
  }
}
