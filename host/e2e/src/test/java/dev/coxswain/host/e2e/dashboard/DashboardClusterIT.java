// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.browser.Browser;
import dev.coxswain.view.ItemId;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The dashboard, and the admin API, of three replicas, each of which tracks all items of the stage; the page is served
 * by one of them. The last test kills one of the others.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Order(1) // takes long
class DashboardClusterIT {

  private static final int FAILING = 7; // the column
  private static final List<String> NAMES = List.of("coxswain-0", "coxswain-1", "coxswain-2");
  private static final String IN_SHOP = Integer.toString(103 * NAMES.size());

  @TempDir static Path folder;
  private static DashboardRun run;
  private static Browser browser;

  @BeforeAll
  static void start() throws Exception {
    run =
        DashboardRun.start(
            folder,
            "--replicas=3",
            // Long enough for the Lease of a killed replica to be there until the end; a third of
            // it passes before a new replica uses the shared limiter.
            "--set=membership.leaseDuration=240s",
            "--set=membership.renewPeriod=1s",
            // Slow enough for an operation to be stopped, of all three replicas together.
            "--set=changes.itemsPerSecond=6");
    browser = run.browser;
  }

  @BeforeEach
  void signIn() throws Exception {
    run.signIn(DashboardRun.ADMIN);
    browser.console();
  }

  @AfterAll
  static void stop() throws Exception {
    if (run != null) {
      run.close();
    }
  }

  /** Nothing in the console but that a busy replica has missed its 2 s. */
  private static void assertQuiet() throws Exception {
    assertThat(browser.console()).allMatch(line -> line.contains(" 503 "));
  }

  private static int rows() throws Exception {
    return browser.count(".items .list tr");
  }

  /** Returns the number of failures that the row of a replica shows; empty without a row. */
  private static String failuresAt(String replica) throws Exception {
    return browser
        .script(
            "return [...document.querySelectorAll('.items .list tr')].find(row =>"
                + " row.querySelector('.col-replica').innerText === '"
                + replica
                + "')?.querySelector('.col-failures').innerText ?? '';")
        .asText();
  }

  /** Presses a button of the open item, and then what its dialog offers. */
  private static void act(String button, String label) throws Exception {
    browser.press(button);
    browser.fill(".dialog:not(.drawer) input[name=reason]", "INC-1");
    browser.press(label);
    browser.await("the dialog to close", DashboardClusterIT::closed);
  }

  /** A busy replica may have missed its 2 s; then nothing was changed, and the page shows that. */
  private static boolean closed() throws Exception {
    if (browser.text(".dialog:not(.drawer) .fault").endsWith("did not answer; try again")) {
      browser.click(".dialog:not(.drawer) button[type=submit]");
    }
    return browser.count(".dialog:not(.drawer)") == 0;
  }

  private static void open(String replica) throws Exception {
    browser.await("its row", () -> !failuresAt(replica).isEmpty());
    browser.script(
        "[...document.querySelectorAll('.items .list tr')].find(row => row.querySelector('.col-replica').innerText"
            + " === '"
            + replica
            + "').querySelector('a').click();");
    browser.awaitText(".drawer", replica);
    browser.awaitText(".drawer", "Last error");
  }

  private static String lastErrorAt() throws Exception {
    return browser
        .script("return document.querySelector('.drawer pre.error + .hint time').dateTime;")
        .asText();
  }

  private static void close() throws Exception {
    browser.keys(Browser.ESCAPE);
    browser.awaitNone(".drawer");
  }

  @Test
  @Order(1)
  void theOverview_addsUp_andMembersAreAllShown() throws Exception {
    browser.await("the sum of failures", () -> run.cell("checkout", FAILING).equals("936"));
    browser.await("the sum of invoices", () -> run.cell("invoices", 3).equals("120"));
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("cluster-overview.png"));
    run.go("replicas");
    for (String name : NAMES) {
      browser.awaitText("main tbody", name);
    }
    browser.await("all to be well", () -> browser.count("main tbody .badge.good") == NAMES.size());
    assertQuiet();
  }

  /** The lists are kept from the page, so it shows only what events contain. */
  @Test
  @Order(2)
  void whatChangesOnAnotherReplica_isShown_withoutReadingAgain() throws Exception {
    browser.await("the sum of invoices", () -> run.cell("invoices", 3).equals("120"));
    browser.script(
        "window.marker = 1; const real = window.fetch; window.fetch = (where, how) =>"
            + " /\\/controllers$/.test(String(where).split('?')[0]) ? new Promise(() => {})"
            + " : real(where, how);");
    run.drop(1, "invoices", new ItemId("billing", "invoice-39"));
    browser.await("one invoice less", () -> run.cell("invoices", 3).equals("119"));
    assertQuiet();
  }

  /** A broken stream continues at its position, so no event is received twice. */
  @Test
  @Order(2)
  void whatAReplicaHasTold_countsAgain_whenItIsHeardAgain() throws Exception {
    String totals =
        browser
            .script(
                """
                const { Parts } = await import(new URL('parts.js', document.baseURI).href);
                const parts = new Parts();
                const part = (replica, total) => ({ replica, controller: 'c', counts: {}, total });
                const listed = { name: 'c', replica: 'a', counts: {}, parts: [{ replica: 'a' }, { replica: 'b' }] };
                const states = state => parts.follow([{ replica: 'a', state: 'ok' }, { replica: 'b', state }]);
                const totals = [];
                const show = list => totals.push(parts.whole(list)?.total ?? null);
                parts.take(part('a', 1));
                parts.take(part('b', 2));
                show(listed);
                states('unreachable');
                show(listed);
                show({ ...listed, parts: [{ replica: 'a' }] });
                states('ok');
                parts.take(part('a', 3));
                show(listed);
                return totals;
                """)
            .toString();
    assertThat(totals).isEqualTo("[3,null,1,5]");
  }

  @Test
  @Order(3)
  void actionsOnAnItem_reachTheReplicaThatTracksIt_andNoOther() throws Exception {
    run.go("controllers/checkout?name=order-5");
    browser.await("the item of each", () -> rows() == NAMES.size());
    for (String name : NAMES) {
      browser.awaitText("main .panel table", name);
    }
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("cluster-controller.png"));
    for (String name : NAMES) {
      browser.await("its first failure", () -> failuresAt(name).equals("1"));
    }
    open("coxswain-2");
    String before = lastErrorAt();
    act("Retry now", "Retry 1 item");
    browser.await("another failure", () -> !lastErrorAt().equals(before));
    act("Reset failures", "Reset 1 item");
    browser.await("no failures", () -> failuresAt("coxswain-2").equals("–"));
    close();
    browser.await("the failure of one", () -> failuresAt("coxswain-0").equals("1"));
    browser.await("the failure of another", () -> failuresAt("coxswain-1").equals("1"));
    open("coxswain-1");
    act("Requeue…", "Requeue 1 item");
    browser.awaitText(".drawer", "due in 9 min"); // not in an hour, as before
    act("Drop…", "Drop 1 item");
    browser.awaitText(".drawer", "It was dropped");
    close();
    browser.await("two that are left", () -> rows() == 2);
    browser.await("the failure of one", () -> failuresAt("coxswain-0").equals("1"));
    assertQuiet();

    run.signIn(1, DashboardRun.ADMIN); // the same, seen from the one that has it no more
    run.go("controllers/checkout?name=order-5");
    browser.await("two that are left", () -> rows() == 2);
    open("coxswain-0");
    act("Reset failures", "Reset 1 item");
    browser.await("no failures", () -> failuresAt("coxswain-0").equals("–"));
    close();
    assertQuiet();
  }

  @Test
  @Order(4)
  void anOperation_goesFromPreviewToDone_onAllReplicas() throws Exception {
    run.go("controllers/checkout?namespace=shop");
    browser.await("a page", () -> rows() > 20);
    browser.press("Flush…");
    awaitPreview(IN_SHOP + " items match");
    assertThat(browser.text(".preview")).contains(NAMES);
    browser.choose("select[name=then]", "none");
    awaitPreview(IN_SHOP + " items match");
    browser.fill(".dialog input[name=reason]", "INC-2");
    browser.fill(".dialog input[name=confirm]", "checkout");
    browser.press("Flush " + IN_SHOP + " items");
    browser.awaitText(".dialog table", "coxswain-2");
    browser.awaitText(".dialog", "Succeeded");
    browser.awaitText(".dialog", IN_SHOP + " of " + IN_SHOP + " done");
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("cluster-operation.png"));
    browser.press("Close");
    browser.awaitText("main", "No item matches");
    assertQuiet();
  }

  @Test
  @Order(5)
  void anOperation_isStopped_onAllReplicas() throws Exception {
    beginRequeue("INC-3");
    browser.press("Stop…");
    browser.fill(".dialog:last-of-type input[name=reason]", "enough");
    browser.press("Stop it");
    browser.awaitText(".dialog .title", "Cancelled");
    assertThat(browser.text(".dialog")).contains("enough");
    browser.press("Close");
    assertQuiet();
  }

  /** A preview lacks the items of a busy replica that has missed its 2 s. */
  private static void awaitPreview(String part) throws Exception {
    browser.await(
        "\"" + part + "\" of all replicas",
        () -> {
          String shown = browser.text(".preview");
          browser.script("document.querySelector('.preview button')?.click();");
          return shown.contains(part) && !shown.contains("Preview again");
        });
  }

  private static void assertPartialPreviewIsRepeated() throws Exception {
    browser.press("Requeue…");
    browser.awaitText(".preview", "Preview again");
    browser.awaitText(".preview", "coxswain-1 is unreachable");
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("preview-partial.png"));
    browser.script("document.querySelector('.preview p').className = 'old';");
    browser.press("Preview again");
    browser.await("another preview", () -> browser.count(".preview p.old") == 0);
    browser.awaitText(".preview", "Preview again");
    browser.press("Cancel");
  }

  private static void beginRequeue(String reason) throws Exception {
    run.go("controllers/checkout?namespace=payments");
    browser.await("a page", () -> rows() > 20);
    browser.press("Requeue…");
    awaitPreview("items match");
    browser.fill(".dialog input[name=reason]", reason);
    browser.fill(".dialog input[name=confirm]", "checkout");
    browser.click(".dialog button[type=submit]");
    browser.awaitText(".dialog table", "coxswain-2");
    browser.awaitText(".dialog .title", "Running");
  }

  @Test
  @Order(6)
  void aLimiter_isOverridden_forAllReplicas_andTheOverrideRemoved() throws Exception {
    run.go("limiters/default");
    browser.awaitText("main .title", "whole cluster");
    browser.press("Change…");
    browser.awaitText(".preview", "Enter a rate, a burst, or both.");
    browser.fill(".dialog input[name=rate]", "2");
    browser.awaitText(".preview", "2 per second, burst 100");
    browser.fill(".dialog input[name=reason]", "INC-4 the vendor is slow");
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("limiter-change.png"));
    browser.press("Change default");
    browser.awaitText("main .facts", "an override");
    browser.awaitText("main .facts", "2/s");

    run.signIn(1, DashboardRun.ADMIN);
    run.go("limiters/default");
    browser.awaitText("main .facts", "an override");
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("limiter-override.png"));
    browser.press("Change…");
    browser.fill(".dialog input[name=rate]", "100000");
    browser.fill(".dialog input[name=reason]", "too much");
    browser.press("Change default");
    browser.awaitText(".dialog .fault", "nothing was changed"); // beyond the ceiling
    browser.press("Cancel");
    browser.press("Remove the override…");
    browser.fill(".dialog input[name=reason]", "the vendor is back");
    browser.press("Remove the override");
    browser.awaitText("main .facts", "the configuration");
    browser.awaitText("main .facts", "10/s");
    browser.console(); // the refusal is there on purpose
    run.signIn(DashboardRun.VIEWER);
    run.go("limiters/default");
    browser.await(
        "a button that viewers may not use",
        () -> browser.count("main .actions button[aria-disabled=true]") >= 1);
    assertQuiet();
  }

  @Test
  @Order(7)
  void whenAReplicaIsKilled_everyPageAndEveryAnswerOfTheOthersSaysWhichIsMissing()
      throws Exception {
    try (ClusterView view = new ClusterView(run)) {
      view.isWhole();
      beginRequeue("INC-5");
      view.begin();
      run.replicas.get(1).destroyForcibly();
      run.replicas.get(1).onExit().orTimeout(1, TimeUnit.MINUTES).join();
      view.isPartial();
    }
    browser.awaitText(".dialog .banner", "coxswain-1 is unreachable");
    browser.awaitText(".dialog table", "Unknown");
    browser.press("Close");
    browser.awaitText(".banners", "Partial");
    browser.awaitText(".banners", "coxswain-1 is unreachable");
    browser.awaitText("main .banner", "coxswain-1 is unreachable");
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("cluster-partial.png"));
    run.go("controllers/invoices?name=invoice-1");
    browser.await("the item of those left", () -> rows() == 2);
    assertThat(browser.text(".items .list")).doesNotContain("coxswain-1");
    assertPartialPreviewIsRepeated();
    run.go("");
    browser.await("the sum of those left", () -> run.cell("invoices", 3).equals("80"));
    browser.awaitText(".banners", "coxswain-1 is unreachable");
    browser.awaitText(".problems", "coxswain-1 does not answer.");
    run.go("replicas");
    browser.awaitText("main tbody", "unreachable");
    run.go("operations");
    browser.awaitText("main .banner", "coxswain-1 is unreachable");
    browser.awaitText("main tbody", "INC-5");
    browser.script(
        "[...document.querySelectorAll('main tbody tr')].find(row => row.innerText.includes('INC-5'))"
            + ".querySelector('th a').click();");
    browser.awaitText("main .banner", "coxswain-1 is unreachable");
    browser.press("Stop…");
    browser.fill(".dialog input[name=reason]", "one is gone");
    browser.press("Stop it");
    browser.awaitNone(".dialog");
    browser.awaitText("main table", "Unknown");
    browser.awaitText("main table", "Cancelled");
    run.dev.terminate();
    assertThat(run.dev.exitCode()).as(run.dev.errors()).isZero();
  }
}
