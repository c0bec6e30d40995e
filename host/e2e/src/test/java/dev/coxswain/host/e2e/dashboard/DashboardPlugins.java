// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.browser.Browser;
import dev.coxswain.testing.PluginJars;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page of plug-ins in a real browser: one that runs, one that is broken, and the actions. */
abstract class DashboardPlugins {

  private final DashboardRun run;
  private final Path folder;
  private final Path plugins;

  DashboardPlugins(DashboardRun run, Path folder, Path plugins) {
    this.run = run;
    this.folder = folder;
    this.plugins = plugins;
  }

  @Test
  void aPlugin_isShown_stopped_andDeployed_andABrokenOneHasItsReason() throws Exception {
    PluginJars jars = new PluginJars(folder);
    jars.write(
        plugins.resolve("tidy.jar"),
        jars.plugin(List.of("Tidy"), PluginJars.definition("Tidy", "tidy")));
    Files.writeString(plugins.resolve("broken.jar"), "<img src=x>");
    Browser browser = run.browser;
    run.signIn(DashboardRun.ADMIN);
    browser.console();
    browser.press("Plug-ins");
    browser.awaitText("h1", "Plug-ins");
    browser.await("both plug-ins", () -> browser.count("tbody tr") == 2);
    browser.awaitText("tbody tr:nth-child(1)", "failed");
    assertThat(browser.text("tbody tr:nth-child(1)")).contains("broken", "no entries");
    browser.awaitText("tbody tr:nth-child(2)", "running");
    assertThat(browser.text("tbody tr:nth-child(2)")).contains("tidy", "coxswain-0");

    browser.click("button[name=stop-tidy]");
    browser.fill(".dialog input[name=reason]", "INC-9");
    browser.press("Stop tidy");
    browser.awaitText("tbody tr:nth-child(2)", "stopped");
    browser.click("button[name=deploy-tidy]");
    browser.fill(".dialog input[name=reason]", "INC-9 is over");
    browser.press("Deploy tidy");
    browser.awaitText("tbody tr:nth-child(2)", "running");
    assertThat(browser.console()).isEmpty();

    run.signIn(DashboardRun.VIEWER);
    run.go("plugins");
    browser.await(
        "a button that is not offered",
        () -> browser.count("button[name=stop-tidy][aria-disabled=true]") == 1);
  }
}
