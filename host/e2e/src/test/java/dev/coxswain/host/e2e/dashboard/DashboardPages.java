// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pages that only show: what they show first, when there is nothing, and when the host refuses. */
abstract class DashboardPages extends DashboardSuite {

  DashboardPages(DashboardRun run) {
    super(run);
  }

  @AfterEach
  void asBefore() throws Exception {
    browser.script("window.marker = 1;"); // answers of this page are no longer those of the host
    browser.medium("screen");
    browser.size(1280, 860);
  }

  private static final String WHOLE =
      "kind: 'List', replica: 'coxswain-0', partial: false, replicas: [{replica: 'coxswain-0', state: 'ok'}]";

  @Test
  void pages_showWhatIsWrong_orThatNothingIs_orWhyTheyCannot() throws Exception {
    run.go("configuration");
    browser.awaitText("main tbody", "current");
    run.go("caches");
    browser.awaitText("main tbody", "watching");
    run.go("health");
    browser.awaitText("main tbody", "coxswain-0");
    browser.awaitText("main", "Nothing is wrong");
    assertThat(browser.console()).isEmpty();

    answer(
        "/config",
        200,
        "{"
            + WHOLE
            + ", items: [{kind: 'Configuration', replica: 'coxswain-0', file: 'host.yaml', state: 'rejected',"
            + " loadedAt: '2026-11-20T10:02:11Z', rejectedAt: '2026-11-20T10:05:00Z', changed: [], needsRestart: ['admin.port'],"
            + " settling: [], errors: ['host.yaml:3: unknown key <b>limit</b>'], reloads: 1, rejections: 2}]}");
    answer("/caches", 403, "{title: 'Forbidden', detail: 'no right to list replicas'}");
    run.go("configuration");
    browser.awaitText("main tbody", "rejected");
    assertThat(browser.text("main tbody"))
        .contains("host.yaml:3: unknown key <b>limit</b>", "admin.port", "2 rejected");
    run.go("caches");
    browser.awaitText("main [role=alert]", "You may not see this");
    run.go("health");
    browser.awaitText("main", "the caches could not be read");

    answer("/caches", 200, "{" + WHOLE + ", items: []}");
    run.go("caches");
    browser.awaitText("main", "No caches");
  }

  @Test
  void theHealth_namesACacheThatIsNotCurrent() throws Exception {
    answer(
        "/caches",
        200,
        "{"
            + WHOLE
            + ", items: [{kind: 'Cache', name: 'Order.shop', replica: 'coxswain-0', phase: 'backingOff', synced: true,"
            + " problem: 'the watch failed: 410 Gone', objects: 3, bytes: 1, users: 1, lastContact: '2026-11-20T10:02:11Z',"
            + " selection: 'all', namespaces: 0, ranges: 0, events: 0, eventBytes: 0, droppedEvents: 0, droppedBytes: 0,"
            + " listedObjects: 0, listedBytes: 0, fullFor: []}]}");
    run.go("health");
    browser.awaitText(".problems", "Order.shop on coxswain-0 is not current.");
    assertThat(browser.text("main")).doesNotContain("Nothing is wrong");
    browser.press("Caches");
    browser.awaitText("main tbody", "410 Gone");
  }

  @Test
  void theOverview_beginsWithWhatFails_andAsksForFewSeries() throws Exception {
    browser.open(run.admin + "/dashboard/#/");
    browser.await("pictures", () -> browser.count(".controllers .spark") >= 8);
    assertThat(browser.text(".controllers tbody th")).isEqualTo("checkout");
    assertThat(
            browser
                .script(
                    "return document.querySelector('.controllers .spark').getAttribute('aria-label');")
                .asText())
        .startsWith("Failing items in the last hour: at most 312");
    assertThat(requests("/stats?")).isLessThanOrEqualTo(8);
    assertThat(wider(".controllers-place .scroll")).as("columns outside").isZero();

    browser.size(390, 860);
    browser.await("fewer columns", () -> wider(".controllers-place .scroll") == 0);
    JsonNode places =
        browser.script(
            """
            const top = css => Math.round(document.querySelector(css).getBoundingClientRect().top);
            const links = [...document.querySelectorAll('nav a')].map(one => one.getBoundingClientRect());
            return [top('.controllers tbody tr') < 600, top('.controllers tbody tr') < top('.tiles'),
                links.every(one => one.left >= 0 && one.right <= innerWidth && one.width > 0)];
            """);
    assertThat(places.toString())
        .as("failing ones are seen, before the figures; all pages can be reached")
        .isEqualTo("[true,true,true]");
    assertThat(browser.console()).isEmpty();
  }

  private int requests(String part) throws Exception {
    return browser
        .script(
            "return performance.getEntriesByType('resource').filter(one => one.name.includes('"
                + part
                + "')).length;")
        .asInt();
  }

  private int wider(String css) throws Exception {
    return browser
        .script(
            "const one = document.querySelector('"
                + css
                + "'); return Math.max(0, one.scrollWidth - one.clientWidth);")
        .asInt();
  }

  /**
   * The least difference of two colours of a chart for people who see fewer of them (Machado 2009; CIE 1976). About 2 can be
   * seen, and 20 cannot be confused.
   */
  @Test
  void phasesAndResults_differForEverybody_andByTheirShape() throws Exception {
    for (String theme : new String[] {"light", "dark"}) {
      browser.theme(theme);
      JsonNode least =
          browser.script(
              """
              const kinds = [[[1,0,0],[0,1,0],[0,0,1]],
                [[.152286,1.052583,-.204868],[.114503,.786281,.099216],[-.003882,-.048116,1.051998]],
                [[.367322,.860646,-.227968],[.280085,.672501,.047413],[-.01182,.04294,.968881]],
                [[1.255528,-.076749,-.178779],[-.078411,.930809,.147602],[.004733,.691367,.3039]]];
              const probe = document.body.appendChild(document.createElement('i'));
              const colours = ['ready', 'delayed', 'waiting', 'flight', 'failed'].map(name => {
                probe.style.color = 'var(--' + name + ')';
                return getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(value => value / 255)
                    .map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
              });
              probe.remove();
              const lab = ([r, g, b]) => {
                const f = t => t > .008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
                const [x, y, z] = [(.4124*r + .3576*g + .1805*b) / .95047, .2126*r + .7152*g + .0722*b, (.0193*r + .1192*g + .9505*b) / 1.08883].map(f);
                return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
              };
              return Math.min(...kinds.flatMap(kind => {
                const seen = colours.map(one => lab(kind.map(row => Math.max(0, Math.min(1, row[0]*one[0] + row[1]*one[1] + row[2]*one[2])))));
                return seen.flatMap((a, i) => seen.slice(i + 1).map(b => Math.hypot(...a.map((value, j) => value - b[j]))));
              }));
              """);
      assertThat(least.asDouble()).as(theme).isGreaterThan(20);
    }
    browser.theme("light");
    for (String names :
        new String[] {
          "badge good,badge info,badge warn,badge bad,badge quiet",
          "phase ready,phase delayed,phase waitingToken,phase inFlight,phase terminal"
        }) {
      JsonNode shapes =
          browser.script(
              """
              return '%s'.split(',').map(name => {
                const one = document.body.appendChild(document.createElement('span'));
                one.className = name;
                const { clipPath, borderRadius, borderTopStyle, height } = getComputedStyle(one, '::before');
                one.remove();
                return [clipPath, borderRadius, borderTopStyle, height].join(' ');
              });
              """
                  .formatted(names));
      assertThat(shapes).as(names).doesNotHaveDuplicates().hasSize(5);
    }
  }

  @Test
  void onPaper_areAllRowsThatWereRead_andNothingToPress() throws Exception {
    run.go("controllers/checkout");
    browser.await("rows", () -> browser.count(".items .list tr") > 20);
    browser.size(800, 1100);
    browser.medium("print");
    browser.script("window.dispatchEvent(new Event('beforeprint'));");
    browser.await("a page of the list", () -> browser.count(".items .list tr") == 100);
    assertThat(
            browser
                .script(
                    "return [...document.querySelectorAll('nav, .bulk, .find, main button:not(.sort, .tab), .col-pick')]"
                        + ".filter(one => one.getClientRects().length).length;")
                .asInt())
        .isZero();
    assertThat(wider("html")).isZero();
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("print.png"));
    browser.script("window.dispatchEvent(new Event('afterprint'));");
    assertThat(browser.count(".items .list tr")).isLessThanOrEqualTo(120);
  }
}
