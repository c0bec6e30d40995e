// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.dashboard;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The measurement: what a user waits for, in several rounds, each with a page that is loaded anew.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class DashboardRun {

  /** In every page: how long its own thread was held, and a way to wait for what is drawn. */
  private static final String PROBE =
      """
      window.held = [];
      new PerformanceObserver(list => list.getEntries().forEach(one => held.push(one.duration)))
        .observe({type: 'longtask', buffered: true});
      window.drawn = test => new Promise((resolve, reject) => {
        const limit = performance.now() + 100_000;
        const look = () => {
          if (test()) {
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
          } else if (performance.now() > limit) {
            reject(new Error('it was not drawn'));
          } else {
            requestAnimationFrame(look);
          }
        };
        look();
      });
      window.first = () => document.querySelector('.items tbody a')?.textContent;
      window.count = css => document.querySelectorAll(css).length;
      """;

  private final Chrome chrome;
  private final DashboardHost host;
  private final int controllers;
  private final int rounds;
  private final int seconds;
  private final Map<String, double[]> figures = new LinkedHashMap<>();

  DashboardRun(Chrome chrome, DashboardHost host, int controllers, int rounds, int seconds) {
    this.chrome = chrome;
    this.host = host;
    this.controllers = controllers;
    this.rounds = rounds;
    this.seconds = seconds;
  }

  void run(int items, PrintStream out) throws IOException {
    chrome.before(PROBE);
    awaitItems(items);
    for (int round = 0; round < rounds; round++) {
      round(round);
    }
    out.println("| what | median | worst |\n|---|---:|---:|");
    figures.forEach((name, values) -> {
      double[] sorted = values.clone();
      Arrays.sort(sorted);
      out.printf(
          Locale.ROOT,
          "| %s | %.0f | %.0f |%n",
          name,
          sorted[sorted.length / 2],
          sorted[sorted.length - 1]);
    });
  }

  private void open() throws IOException {
    chrome.open(host.admin() + "/dashboard/#token=" + host.token());
  }

  /** Waits until the whole queue is shown. */
  private void awaitItems(int items) throws IOException {
    open();
    chrome.number(
        "return drawn(() => [...document.querySelectorAll('.controllers tbody tr')].some(row =>"
            + " row.cells[0].innerText === 'parked' && Number(row.cells[3].innerText.replaceAll(',',"
            + " '')) >= "
            + items
            + "))");
  }

  private void round(int round) throws IOException {
    open();
    String rows = "() => count('.controllers tbody tr') >= " + controllers;
    note(round, "overview of all controllers, from the address, ms", "return drawn(" + rows + ")");
    note(round, "processor time of the page's thread for it, ms", chrome.threadMillis());
    note(round, "elements of the overview", "return count('*')");
    held(round, "while it was made", "");
    double before = chrome.threadMillis();
    held(
        round,
        "in " + seconds + " s of changes of the overview",
        "await new Promise(done => setTimeout(done, " + seconds * 1000 + "));");
    double used = (chrome.threadMillis() - before) / seconds;
    note(round, "processor time of the page's thread in a second of them, ms", used);
    note(
        round,
        "overview sorted by another column, ms",
        "const at = performance.now(); document.querySelectorAll('.sort')[8].click(); await"
            + " drawn(() => document.querySelector('th[aria-sort]').cellIndex === 8); return"
            + " performance.now() - at");
    note(round, "first 100 of the long queue, ms", to("controllers/parked"));
    note(round, "next page of it, ms", press("Next page"));
    note(round, "page of one namespace, ms", to("controllers/parked?namespace=team-7"));
    note(
        round,
        "an item, explained, ms",
        "const at = performance.now(); document.querySelector('.items tbody a').click(); await"
            + " drawn(() => document.querySelector('.drawer .callout')); return performance.now()"
            + " - at");
    note(round, "elements with an item open", "return count('*')");
    held(round, "from the sorting to the item", "");
  }

  private static String to(String page) {
    return "const at = performance.now(); const before = first(); location.hash = '#/"
        + page
        + "'; await drawn(() => count('.items tbody tr') === 100 && first() !== before); return"
        + " performance.now() - at";
  }

  private static String press(String label) {
    return "const at = performance.now(); const before = first();"
        + " [...document.querySelectorAll('.pager a')].find(one => one.textContent === '"
        + label
        + "').click(); await drawn(() => first() !== before); return performance.now() - at";
  }

  private void note(int round, String name, String script) throws IOException {
    note(round, name, chrome.number(script));
  }

  private void note(int round, String name, double figure) {
    figures.computeIfAbsent(name, _ -> new double[rounds])[round] = figure;
  }

  /** Notes for how long the page's thread was held since it was asked before. */
  private void held(int round, String when, String first) throws IOException {
    note(round, "longest task " + when + ", ms", first + "return Math.max(0, ...held)");
    note(
        round,
        "tasks over 50 ms " + when,
        "const many = held.length; held.length = 0; return many");
  }
}
