// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Colours are for terminals only, of states only, and never let a name bring its own. */
class ColorsTest {

  private static final String RED = "\u001b[31m";
  private static final String YELLOW = "\u001b[33m";
  private static final String GREEN = "\u001b[32m";
  private static final String END = "\u001b[0m";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  ColorsTest() throws IOException {
    server.on(
        "GET /controllers",
        200,
        """
        {"items":[{"name":"a\\u001b[31m","state":"running","failing":0},\
        {"name":"b","state":"running","paused":true,"failing":3},\
        {"name":"c","state":"running","conditions":[{"type":"sourceFailed"}]},\
        {"name":"d","state":"failed"}]}\
        """);
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void onATerminal_statesAndFailingItemsHaveAColour_andColumnsStayAligned() {
    ctl.onTerminal();
    assertThat(ctl.run("get", "controllers")).isZero();
    String colored = ctl.output();
    assertThat(colored)
        .contains(
            GREEN + "running" + END,
            YELLOW + "running,paused" + END,
            RED + "running,sourceFailed" + END,
            RED + "failed" + END,
            RED + "3" + END)
        .doesNotContain(RED + "0", "STATE" + END)
        .contains("a [31m ");
    assertThat(ctl.run("get", "controllers", "--color=never")).isZero();
    assertThat(ctl.output())
        .doesNotContain("\u001b")
        .isEqualTo(colored.replaceAll("\u001b\\[[0-9]+m", ""));
  }

  @Test
  void withoutATerminal_orWithNoColor_thereAreNone_unlessAlwaysIsGiven() {
    ctl.run("get", "controllers");
    assertThat(ctl.output()).doesNotContain("\u001b");
    ctl.run("--color", "always", "get", "controllers");
    assertThat(ctl.output()).contains(GREEN);
    ctl.onTerminal().with("NO_COLOR", "1").run("get", "controllers", "--color=auto");
    assertThat(ctl.output()).doesNotContain("\u001b");
    ctl.with("NO_COLOR", "").with("TERM", "dumb").run("get", "controllers");
    assertThat(ctl.output()).doesNotContain("\u001b");
    assertThat(ctl.run("get", "controllers", "--color=sometimes")).isEqualTo(1);
    assertThat(ctl.errors()).contains("flag --color: unknown value \"sometimes\"");
  }

  @Test
  void formatsForPrograms_haveNone() {
    for (String format : new String[] {"name", "json", "yaml", "custom-columns=STATE:.state"}) {
      assertThat(ctl.run("get", "controllers", "--color=always", "-o", format)).isZero();
      assertThat(ctl.output()).doesNotContain("\u001b");
    }
  }
}
