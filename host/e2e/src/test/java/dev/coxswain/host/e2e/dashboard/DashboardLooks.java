// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.host.e2e.browser.Browser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Every page, light and dark, wide and narrow: nothing that axe finds, nothing in the console,
 * nothing wider than the window. The pictures are kept in {@code target/screenshots}.
 */
abstract class DashboardLooks {

  private final DashboardRun run;
  private final Browser browser;
  private final String axe;
  private final SoftAssertions soft = new SoftAssertions(); // all that is wrong, not the first

  /** Options of axe. Its rules about colours take a part of its time. */
  private static final String EVERYTHING = "";

  private static final String NO_COLOURS =
      ", rules: {'color-contrast': {enabled: false}, 'link-in-text-block': {enabled: false}}";
  private static final String ONLY_COLOURS =
      ", runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}";

  private static final String PHONE = "-390";

  private record View(String name, String page, String shows) {}

  private static final List<View> VIEWS =
      List.of(
          new View("overview", "", "checkout"),
          new View("controller", "controllers/checkout?failing=true", "order-"),
          new View("empty-queue", "controllers/config-mirror", "The queue is empty"),
          new View("no-controller", "controllers/nobody", "No controller has this name"),
          new View("limiters", "limiters", "default"),
          new View("limiter", "limiters/default", "Retries started per second"),
          new View("replicas", "replicas", "coxswain-0"),
          new View("health", "health", "coxswain-0"),
          new View("slots", "slots", "coxswain-0"),
          new View("caches", "caches", "watching"),
          new View("configuration", "configuration", "current"),
          new View("plugins", "plugins", "No plug-ins"),
          new View("object", "objects?namespace=shop&name=order-3", "the vendor answered 503"),
          new View("operations", "operations", "No operation yet"),
          new View("audit", "audit", "The last 10,000 records"),
          new View("timeline", "timeline", "What has happened"),
          new View("nowhere", "nowhere", "Page not found"));

  DashboardLooks(DashboardRun run) throws IOException {
    this.run = run;
    this.browser = run.browser;
    axe = axe();
  }

  private static String axe() throws IOException {
    try (InputStream source = DashboardLooks.class.getResourceAsStream("/axe.min.js")) {
      return new String(
          Objects.requireNonNull(source, "axe.min.js").readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @AfterEach
  void asBefore() throws Exception {
    browser.theme("light");
    browser.size(1280, 860);
  }

  @Test
  void everyPage_isAccessible_quiet_andFits() throws Exception {
    run.signIn(DashboardRun.ADMIN);
    for (String theme : List.of("light", "dark")) {
      browser.theme(theme);
      for (int width : new int[] {1280, 390}) {
        browser.size(width, 860);
        for (View view : VIEWS) {
          run.go(view.page());
          browser.awaitText("main", view.shows());
          browser.awaitNone(".loading");
          String name = view.name() + "-" + theme + "-" + width;
          check(name);
          if (name.equals("overview-light-1280")) {
            new DocumentedPictures(browser).compare("overview");
          }
          // Colours do not depend on the width, and nothing else does on the theme.
          if (theme.equals("dark")) {
            if (width > 390) {
              examine(name, ONLY_COLOURS);
            }
          } else {
            examine(name, width > 390 ? EVERYTHING : NO_COLOURS);
          }
        }
      }
    }
    soft.assertAll();
  }

  @Test
  void signingIn_theDrawer_andAPreview_areAccessible() throws Exception {
    run.signIn(DashboardRun.ADMIN);
    for (String theme : List.of("light", "dark")) {
      String rules = theme.equals("light") ? EVERYTHING : ONLY_COLOURS;
      browser.theme(theme);
      browser.size(1280, 860);
      run.go("controllers/checkout?namespace=payments");
      browser.awaitText(".items .list", "order-");
      browser.click(".items .list a");
      browser.awaitText(".drawer", "Last error");
      check("drawer-" + theme);
      if (theme.equals("light")) {
        new DocumentedPictures(browser).compare("item");
      }
      examine("drawer-" + theme, rules);
      browser.keys(Browser.ESCAPE);
      browser.awaitNone(".drawer");
      browser.press("Flush…");
      browser.awaitText(".preview", "items match");
      check("preview-" + theme);
      if (theme.equals("light")) {
        new DocumentedPictures(browser).compare("flush");
      }
      examine("preview-" + theme, rules);
      browser.press("Cancel");
    }
    browser.press("Sign out");
    browser.awaitText("h1", "Sign in");
    check("sign-in");
    examine("sign-in", EVERYTHING);
    soft.assertAll();
  }

  private void check(String name) throws Exception {
    browser.screenshot(DashboardRun.SCREENSHOTS.resolve(name + ".png"));
    int tooWide =
        browser
            .script(
                "return document.documentElement.scrollWidth -"
                    + " document.documentElement.clientWidth;")
            .asInt();
    soft.assertThat(tooWide).as(name + " is too wide").isLessThanOrEqualTo(0);
    if (name.endsWith(PHONE)) {
      String beside =
          browser
              .script(
                  "return [...document.querySelectorAll('main .scroll')].filter(one =>"
                      + " one.scrollWidth > one.clientWidth).map(one =>"
                      + " one.getAttribute('aria-label')).join(', ');")
              .asText();
      soft.assertThat(beside).as("tables of " + name + " that are wider than it").isEmpty();
    }
    quiet(name);
  }

  /** Returns what axe finds on the page, with all rules. */
  static List<String> violations(Browser browser) throws Exception {
    return violations(browser, axe(), EVERYTHING);
  }

  private static List<String> violations(Browser browser, String axe, String rules)
      throws Exception {
    // Half a megabyte; the page keeps it until the next load.
    if (!browser.script("return 'axe' in window;").asBoolean()) {
      browser.inject(axe);
    }
    JsonNode violations =
        browser.script(
            "const found = await axe.run(document, {resultTypes: ['violations'], selectors: false"
                + rules
                + "}); return"
                + " found.violations.map(one => one.id + ': ' + one.help + ' ' +"
                + " one.nodes.map(node => node.html + ' ' + node.failureSummary).join('; '));");
    List<String> texts = new ArrayList<>();
    violations.forEach(violation -> texts.add(violation.asText()));
    return texts;
  }

  /** What axe finds on the page. */
  private void examine(String name, String rules) throws Exception {
    List<String> texts = violations(browser, axe, rules);
    soft.assertThat(texts).as(name).isEmpty();
    quiet(name);
  }

  /** The page of an unknown controller reads why there is none, and a browser reports that 404. */
  private void quiet(String name) throws Exception {
    soft.assertThat(
            browser.console().stream().filter(line -> !line.contains("/controllers/nobody ")))
        .as(name)
        .isEmpty();
  }
}
