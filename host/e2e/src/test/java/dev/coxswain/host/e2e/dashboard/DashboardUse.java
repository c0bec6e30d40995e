// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.browser.Browser;
import dev.coxswain.host.e2e.process.Launcher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What people do with the dashboard, in a real browser at a real host. */
abstract class DashboardUse extends DashboardSuite {

  private static final int FAILING = 7; // the column

  private final Path folder;

  DashboardUse(DashboardRun run, Path folder) {
    super(run);
    this.folder = folder;
  }

  private int rows() throws Exception {
    return browser.count(".items .list tr");
  }

  @Test
  void theTokenOfALink_isTakenOutOfTheAddress_andKeptInThisTabOnly() throws Exception {
    run.signInByLink(DashboardRun.ADMIN);
    assertThat(browser.address()).doesNotContain("token");
    assertThat(browser.script("return sessionStorage.getItem('coxswain.token');").asText())
        .isEqualTo(DashboardRun.ADMIN);
    assertThat(browser.script("return JSON.stringify(localStorage) + document.cookie;").asText())
        .doesNotContain(DashboardRun.ADMIN);
    browser.press("Sign out");
    browser.awaitText("h1", "Sign in");
    assertThat(browser.script("return JSON.stringify(sessionStorage);").asText())
        .doesNotContain(DashboardRun.ADMIN);
  }

  @Test
  void withoutAGoodToken_thePageAsksForOne() throws Exception {
    browser.script("sessionStorage.clear();");
    browser.open(run.admin + "/"); // leads to the dashboard
    browser.awaitText("h1", "Sign in");
    browser.fill("#token", "nobody-knows-this-one");
    browser.press("Sign in");
    browser.awaitText("[role=alert]", "This token was refused");
    browser.fill("#token", DashboardRun.VIEWER);
    browser.keys(Browser.ENTER);
    browser.awaitText(".top", "victor");
    browser.console(); // the 401s are there on purpose
  }

  @Test
  void theOverview_changesByItself() throws Exception {
    browser.script("window.marker = 1;");
    run.letTrialFail("always-fails-1", true);
    browser.await("three that fail", () -> run.cell("error-backoff", FAILING).equals("3"));
    run.letTrialFail("always-fails-1", false);
    browser.await("two that fail", () -> run.cell("error-backoff", FAILING).equals("2"));
    assertThat(browser.script("return window.marker;").asInt()).isEqualTo(1); // the same page
    assertThat(browser.console()).isEmpty();
  }

  /** Those that were syncing, draining or stopped were counted as "all running". */
  @Test
  void controllersInOtherStates_areNotCountedAsRunning() throws Exception {
    assertThat(tileOf("running", "running")).isEqualTo("all running ");
    assertThat(tileOf("running", "syncing", "syncing")).isEqualTo("2 syncing warn");
    assertThat(tileOf("stopped", "draining", "syncing"))
        .isEqualTo("1 syncing, 1 draining, 1 stopped warn");
    assertThat(tileOf("running", "somethingNew")).isEqualTo("1 somethingNew warn");
    assertThat(tileOf("syncing", "failed")).isEqualTo("1 not running bad");
  }

  /**
   * Returns the text of the overview below the number of controllers in these states, and its tone.
   */
  private String tileOf(String... states) throws Exception {
    return browser
        .script(
            "const page = await import(new URL('overview.js', document.querySelector('script[type=module]').src));"
                + " const [, , words, tone] = page.summary('"
                + String.join(" ", states)
                + "'.split(' ').map((state, i) => ({ name: 'c' + i, state })))[0];"
                + " return words + ' ' + tone;")
        .asText();
  }

  @Test
  void hostileNamesAndErrors_areText() throws Exception {
    run.go("controllers/checkout?name=%3Cimg*");
    browser.await("the one item", () -> rows() == 1);
    assertThat(browser.text(".items .list")).contains(DashboardStage.HOSTILE_NAME);
    assertThat(browser.text(".items .list .error-cell")).contains(DashboardStage.HOSTILE_ERROR);
    browser.click(".items .list a");
    browser.awaitText(".drawer pre.error", DashboardStage.HOSTILE_ERROR);
    assertThat(browser.text(".drawer h2")).isEqualTo(DashboardStage.HOSTILE_NAME);
    browser.awaitText(".drawer .attempts", DashboardStage.HOSTILE_ERROR);
    assertThat(browser.count("#app img, .drawer img, body script")).isZero();
    assertThat(browser.title()).doesNotContain("hacked");
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void filters_areInTheAddress_andAllItemsAreReachedByScrolling() throws Exception {
    run.go("controllers/checkout");
    browser.awaitText("main", "More than 100 items");
    browser.await(
        "the end",
        () -> {
          browser.script("document.querySelector('.rows').scrollTop = 1e6;");
          return !browser.text("main .pager").contains("More than");
        });
    assertThat(rows()).isLessThan(120);

    browser.fill("input[name=name]", "order-1?");
    browser.keys(Browser.ENTER);
    browser.await("those that match", () -> rows() > 0 && rows() <= 10);
    assertThat(browser.address()).contains("name=order-1");
    String link = browser.address();
    browser.open(link);
    browser.await("the same by its link", () -> rows() > 0 && rows() <= 10);
    browser.fill("input[name=name]", "nothing-is-called-so");
    browser.keys(Browser.ENTER);
    browser.awaitText("main", "No item matches");
    browser.fill("input[name=olderThan]", "soon");
    browser.keys(Browser.ENTER);
    browser.awaitText("main [role=alert]", "olderThan"); // the message of the API
  }

  /** The browser went back to the list that would have been filtered. */
  @Test
  void aFilterThatIsOnlyWritten_doesNotBringBackThePageThatIsLeft() throws Exception {
    run.go("controllers/checkout");
    browser.await("a page", () -> rows() > 20);
    browser.fill("input[name=name]", "order-1?");
    run.go("limiters");
    browser.awaitText("main h1", "Limiters");
    run.go("slots"); // what a change of the address does comes before this
    browser.awaitText("main h1", "Slots");
    assertThat(browser.address()).endsWith("#/slots");
  }

  @Test
  void aFlush_goesFromPreviewToDone() throws Exception {
    run.go("controllers/checkout?namespace=shop");
    browser.await("a page", () -> rows() > 0);
    browser.press("Flush…");
    browser.awaitText(".preview", "103 items match");
    browser.choose("select[name=then]", "none");
    browser.awaitText(".preview", "103 items match");
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve("flush-preview.png"));
    assertThat(browser.count(".dialog button[type=submit]:disabled")).isEqualTo(1);
    browser.fill(".dialog input[name=reason]", "INC-4211 poison payload");
    assertThat(browser.count(".dialog button[type=submit]:disabled")).isEqualTo(1);
    browser.fill(".dialog input[name=confirm]", "checkout");
    browser.press("Flush 103 items");
    browser.awaitText(".dialog", "Succeeded");
    browser.awaitText(".dialog", "103 of 103 done");
    browser.press("Close");
    browser.awaitText("main", "No item matches");

    run.go("operations");
    browser.awaitText("main tbody", "INC-4211 poison payload");
    browser.click("main tbody th a");
    browser.awaitText("main", "103 of 103 done");
    run.go("audit?view=records");
    browser.awaitText("main tbody", "INC-4211 poison payload");
    assertThat(browser.text("main tbody")).contains("alice", "flush", "intent");
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void rightsInOneNamespace_areEnough_whenTheFilterNamesIt() throws Exception {
    run.signIn(0, DashboardRun.SHOP);
    run.go("controllers/checkout?namespace=shop");
    browser.await("what may be retried", () -> offered("Retry…") && rows() > 0);
    run.go("controllers/checkout?namespace=payments");
    browser.await("what may not be retried", () -> !offered("Retry…"));
    run.go("controllers/checkout");
    browser.await("what may not be retried at all", () -> !offered("Retry…"));
    run.go("controllers/checkout?namespace=shop&name=order-9");
    browser.await("what may be retried", () -> offered("Retry…") && rows() == 1);
    browser.click(".items .list a");
    browser.press("Retry now");
    browser.fill(".dialog:not(.drawer) input[name=reason]", "mine");
    browser.press("Retry 1 item");
    browser.awaitText("#messages", "shop/order-9");
    browser.console(); // this user may not read events and limiters, on purpose
  }

  private boolean offered(String button) throws Exception {
    return browser
        .script(
            "return [...document.querySelectorAll('main button')].find(one => one.innerText === '"
                + button
                + "')?.getAttribute('aria-disabled') !== 'true';")
        .asBoolean();
  }

  @Test
  void aCopiedCommand_doesTheSame_whateverTheNames() throws Exception {
    browser.allowClipboard();
    run.go("controllers/checkout?name=%3Cimg*");
    browser.await("the one item", () -> rows() == 1);
    browser.click(".items .list a");
    browser.awaitText(".drawer pre.error", DashboardStage.HOSTILE_ERROR);
    browser.press("Copy as kubectl");
    assertThat(pasted("Copied"))
        .contains("Item:            payments/" + DashboardStage.HOSTILE_NAME, "backoff");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone(".drawer");

    run.go("controllers/invoices?phase=delayed&name=invoice-1%3F");
    browser.await("ten items", () -> rows() == 10);
    browser.press("Requeue…");
    browser.awaitText(".preview", "10 items match");
    browser.fill(".dialog input[name=reason]", "it's $HOME; `date`");
    browser.press("Copy as kubectl");
    browser.awaitText(".dialog", "Copied");
    browser.script(
        "await navigator.clipboard.writeText(await navigator.clipboard.readText() +"
            + " ' --dry-run');");
    assertThat(pasted("Copied")).contains("10 items of controller invoices");
    browser.press("Cancel");
  }

  /** Waits for a word on the page, and runs what is in the clipboard as a shell would. */
  private String pasted(String word) throws Exception {
    browser.awaitText("dialog", word);
    String line = browser.script("return await navigator.clipboard.readText();").asText();
    assertThat(line).startsWith("kubectl coxswain ");
    Path script =
        Files.writeString(
            folder.resolve("pasted"),
            line.replaceFirst("kubectl coxswain", "'" + Launcher.SCRIPT + "' ctl") + "\n");
    try (Launcher shell =
        Launcher.start(
            Path.of("/bin/bash"),
            folder,
            Map.of("COXSWAIN_SERVER", run.admin, "COXSWAIN_TOKEN", DashboardRun.ADMIN),
            script.toString())) {
      assertThat(shell.exitCode()).as(line + shell.errors()).isZero();
      return shell.output();
    }
  }

  @Test
  void times_areLocal_orInUtc() throws Exception {
    run.go("controllers/invoices?name=invoice-8");
    browser.await("the item", () -> rows() == 1);
    browser.click(".items .list a");
    browser.press("Requeue…");
    browser.fill(".dialog:not(.drawer) input[name=reason]", "later");
    browser.press("Requeue 1 item");
    browser.awaitText("#messages", "billing/invoice-8");
    run.go("audit");
    browser.awaitText("main tbody", "later");
    assertThat(browser.text("main tbody time")).doesNotContain("UTC");
    browser.choose("select[aria-label='Time zone']", "utc");
    browser.awaitText("main tbody time", "UTC");
    String at = browser.script("return document.querySelector('main time').dateTime;").asText();
    assertThat(browser.text("main tbody time")).isEqualTo(at.substring(11, 19) + " UTC");
    browser.open(run.admin + "/dashboard/#/audit");
    browser.awaitText("main tbody time", "UTC"); // it is remembered
    browser.choose("select[aria-label='Time zone']", "local");
    browser.await("local times", () -> !browser.text("main tbody time").contains("UTC"));
  }

  @Test
  void oneItem_isRetriedWithAReason() throws Exception {
    run.go("controllers/invoices?name=invoice-7");
    browser.await("the item", () -> rows() == 1);
    browser.click(".items .list a");
    browser.awaitText(".drawer", "It is due later");
    browser.press("Retry now");
    browser.fill(".dialog:not(.drawer) input[name=reason]", "the customer called");
    browser.press("Retry 1 item");
    browser.awaitText("#messages", "billing/invoice-7");
    run.go("audit?actor=alice&action=retry");
    browser.awaitText("main tbody", "the customer called");
  }

  @Test
  void aController_isPausedAndResumed() throws Exception {
    run.go("controllers/invoices");
    browser.press("Pause…");
    browser.fill(".dialog input[name=reason]", "stock taking");
    browser.press("Pause invoices");
    browser.awaitText("main .banner", "stock taking");
    browser.press("Resume…");
    browser.fill(".dialog input[name=reason]", "done");
    browser.press("Resume invoices");
    browser.awaitNone("main .banner");
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void everything_isReachedByKeyboard() throws Exception {
    run.signInByLink(DashboardRun.ADMIN); // the focus is nowhere
    browser.keys(Browser.TAB);
    assertThat(focused()).isEqualTo("Skip to the content");
    browser.keys(Browser.ENTER);
    browser.await("the focus in the content", () -> focusedIs("main"));
    tabTo("checkout");
    browser.keys(Browser.ENTER);
    browser.awaitText("h1", "checkout");
    browser.await("the focus on the title", () -> focusedIs("h1"));
    browser.await("items", () -> rows() > 0);
    String item = browser.text(".items .list th a");
    tabTo(item);
    browser.keys(Browser.ENTER);
    browser.awaitText(".drawer", "Last error");
    browser.keys(Browser.ESCAPE);
    browser.awaitNone(".drawer");
    browser.await("the focus where it was", () -> focused().equals(item));
    assertThat(browser.address()).doesNotContain("item=");
  }

  @Test
  void anObject_isFoundWithTheBox_atEachController() throws Exception {
    browser.keys("/");
    browser.await("the focus in the box", () -> focusedIs("input"));
    assertThat(browser.script("return document.activeElement.value;").asText()).isEmpty();
    browser.keys(Browser.ESCAPE);
    browser.await("the focus outside", () -> !focusedIs("input"));
    browser.fill(".find input", "shop/order-3");
    browser.keys(Browser.ENTER);
    browser.awaitText("h1", "shop/order-3");
    browser.awaitText(".objects tbody tr", "the vendor answered 503 to order-3");
    assertThat(browser.text(".objects tbody th")).as("what fails is first").isEqualTo("checkout");
    assertThat(browser.address()).endsWith("#/objects?namespace=shop&name=order-3");
    int controllers = browser.count(".objects tbody tr");

    browser.fill(".find input", "shop/never");
    browser.keys(Browser.ENTER);
    browser.awaitText("h1", "shop/never");
    browser.awaitText(".objects tbody", "The object is not in the informer of the controller");
    assertThat(browser.count(".objects tbody tr")).isEqualTo(controllers);
    browser.script("history.back();");
    browser.awaitText(".objects tbody tr", "the vendor answered 503 to order-3");
    browser.click(".objects tbody a");
    browser.awaitText(".drawer h2", "order-3");
    browser.awaitText(".drawer", "Last error");
    browser.keys("/"); // the page behind the drawer does not receive it
    assertThat(focusedIs("input")).isFalse();
    browser.keys(Browser.ESCAPE);
    browser.awaitNone(".drawer");
    run.go("");
    browser.fill(".bar-row .search", "a/b"); // another box keeps its slash
    assertThat(browser.script("return document.activeElement.value;").asText()).isEqualTo("a/b");
    run.go("limiters");
    browser.awaitText("h1", "Limiters");
    assertThat(browser.console()).isEmpty();
  }

  private void tabTo(String text) throws Exception {
    for (int i = 0; i < 80 && !focused().equals(text); i++) {
      browser.keys(Browser.TAB);
    }
    assertThat(focused()).isEqualTo(text);
  }

  private String focused() throws Exception {
    return browser.script("return (document.activeElement.innerText ?? '').trim();").asText();
  }

  private boolean focusedIs(String tag) throws Exception {
    return browser.script("return document.activeElement.localName;").asText().equals(tag);
  }
}
