// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Dumps: what is whole, and what is not. */
class DumpsTest {

  private static final String ITEMS = "GET /controllers/demo/items?limit=500";
  private static final String FIRST =
      "{\"items\":[{\"replica\":\"r\",\"id\":\"eA\"},{\"id\":\"eQ\"}],\"continue\":\"p2\"}";
  private static final String FIRST_LINES =
      """
      {"kind":"Item","controller":"demo","replica":"r","id":"eA"}
      {"kind":"Item","controller":"demo","id":"eQ"}
      """;
  private static final String LAST = "{\"items\":[{\"id\":\"eg\"}]}";
  private static final String LAST_LINE =
      "{\"kind\":\"Item\",\"controller\":\"demo\",\"id\":\"eg\"}\n";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  DumpsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  private static String problem(String slug, String more) {
    return "{\"type\":\"https://coxswain.dev/problems/%s\",\"title\":\"Refused\",\"detail\":\"of a test\"%s}"
        .formatted(slug, more);
  }

  @Test
  void aDumpThatCannotBeWritten_saysWhy_unlessThePipeIsClosed() {
    server.on("GET /controllers", 200, "{\"items\":[{\"name\":\"demo\",\"counts\":{}}]}");
    server.on(ITEMS, 200, LAST);
    assertThat(ctl.whoseOutputFails("Broken pipe").run("dump")).isEqualTo(141);
    assertThat(ctl.errors()).isEmpty();
    assertThat(ctl.whoseOutputFails("No space left on device").run("dump")).isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo("error: the output cannot be written: No space left on device\n");
  }

  @Test
  void aLine_isAnItemWithItsController_fromOnePageAfterAnother() {
    server.on(ITEMS, 200, FIRST).on(ITEMS + "&continue=p2", 200, LAST);
    assertThat(ctl.run("dump", "controller/demo")).isZero();
    assertThat(ctl.output()).isEqualTo(FIRST_LINES + LAST_LINE);
    assertThat(ctl.errors()).isEmpty();
    assertThat(server.received().getLast().headers().get("accept")).startsWith("application/json,");
  }

  @Test
  void oneReplicaAlone_canBeDumped() {
    server.on(ITEMS + "&replica=coxswain-1", 200, LAST).on(ITEMS + "&scope=local", 200, LAST);
    assertThat(ctl.run("dump", "demo", "--replica", "coxswain-1")).isZero();
    assertThat(ctl.run("dump", "demo", "--scope", "local")).isZero();
    assertThat(ctl.errors()).isEmpty();
  }

  @Test
  void aReplicaWhosePartIsMissing_isNamedOnce_andEndsWith2() {
    String partial =
        ",\"partial\":true,\"replicas\":[{\"replica\":\"coxswain-0\",\"state\":\"ok\"},"
            + "{\"replica\":\"coxswain-1\",\"state\":\"unreachable\",\"error\":\"no route\"}]}";
    server
        .on(ITEMS, 200, FIRST.replaceFirst("}$", partial))
        .on(ITEMS + "&continue=p2", 200, LAST.replaceFirst("}$", partial));
    assertThat(ctl.run("dump", "demo")).isEqualTo(2);
    assertThat(ctl.output()).isEqualTo(FIRST_LINES + LAST_LINE);
    assertThat(ctl.errors())
        .isEqualTo("warning: replica coxswain-1: unreachable (no route); its part is missing\n");
  }

  @Test
  void aReplicaThatLeavesInTheMiddle_isNamed_andTheOthersFollow() {
    server
        .on(ITEMS, 200, FIRST)
        .on(
            ITEMS + "&continue=p2",
            410,
            problem("cursor-expired", ",\"replica\":\"coxswain-1\",\"continue\":\"p3\""))
        .on(ITEMS + "&continue=p3", 200, LAST);
    assertThat(ctl.run("dump", "demo")).isEqualTo(2);
    assertThat(ctl.output()).isEqualTo(FIRST_LINES + LAST_LINE);
    assertThat(ctl.errors())
        .isEqualTo("warning: replica coxswain-1 has left; the rest of its items is missing\n");
  }

  @Test
  void slotsThatMoveInTheMiddle_areAWarning_andEndWith2() {
    server
        .on(ITEMS, 200, FIRST)
        .on(ITEMS + "&continue=p2", 200, LAST.replaceFirst("}$", ",\"moved\":true}"));
    assertThat(ctl.run("dump", "demo")).isEqualTo(2);
    assertThat(ctl.output()).isEqualTo(FIRST_LINES + LAST_LINE);
    assertThat(ctl.errors()).contains("slots have moved while items were read");
  }

  @Test
  void aFurtherPageThatCannotBeRead_endsWith2_andTheNextControllerFollows() {
    server.on(ITEMS, 200, FIRST);
    server.on("GET /controllers/other/items?limit=500", 200, LAST);
    FakeAdminApi.Reply[] failures = {
      new FakeAdminApi.Reply(410, Map.of(), problem("cursor-expired", ""), false),
      new FakeAdminApi.Reply(403, Map.of(), problem("forbidden", ""), false),
      new FakeAdminApi.Reply(200, Map.of(), "{\"items\":[{\"id\":\"e", true),
      new FakeAdminApi.Reply(200, Map.of(), "no JSON", false)
    };
    for (FakeAdminApi.Reply failure : failures) {
      server.on(ITEMS + "&continue=p2", failure);
    }
    for (FakeAdminApi.Reply failure : failures) {
      assertThat(ctl.run("dump", "demo", "other")).as(failure.body()).isEqualTo(2);
      assertThat(ctl.output()).isEqualTo(FIRST_LINES + LAST_LINE.replace("demo", "other"));
      assertThat(ctl.errors()).startsWith("warning: the dump of controller demo is incomplete: ");
    }
  }

  @Test
  void aControllerOfWhichNothingCanBeRead_isAnError() {
    assertThat(ctl.run("dump", "dmeo")).isEqualTo(1);
    assertThat(ctl.output()).isEmpty();
    assertThat(ctl.errors()).contains("Error from server (Not found)");
  }

  @Test
  void withoutANameAllControllersAreDumped_andAFilterHolds() {
    server.on(
        "GET /controllers",
        200,
        "{\"items\":[{\"name\":\"a\",\"counts\":{}},{\"name\":\"failed\"},{\"name\":\"b\",\"counts\":{}}]}");
    server.on("GET /controllers/a/items?failing=true&limit=500", 200, LAST);
    server.on("GET /controllers/b/items?failing=true&limit=500", 200, "{\"items\":[]}");
    assertThat(ctl.run("dump", "--failing")).isZero();
    assertThat(ctl.output()).isEqualTo(LAST_LINE.replace("demo", "a"));
    assertThat(ctl.errors()).isEmpty();
  }
}
