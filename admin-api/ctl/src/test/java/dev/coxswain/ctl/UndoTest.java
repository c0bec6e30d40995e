// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.cli.ExitCode;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes as rows, and their undo: what is shown, confirmed, sent and returned. */
class UndoTest {

  private static final String ROW =
      "{\"requestId\":\"r-1\",\"at\":\"2026-11-20T10:00:00Z\",\"actor\":\"alice\",\"action\":\"pause\","
          + "\"controller\":\"demo\",\"change\":\"pause none -> until resumed\",\"reason\":\"INC-1\","
          + "\"result\":\"applied\",\"replicas\":[\"coxswain-0\"],\"undo\":\"possible\"}";
  private static final String MINE = "GET /changes?mine=true&undoable=true&limit=1";
  private static final String UNDO = "POST /changes/r-1/undo";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  UndoTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  private static String list(String... rows) {
    return "{\"kind\":\"ChangeList\",\"replica\":\"coxswain-0\",\"partial\":false,\"replicas\":[],\"items\":["
        + String.join(",", rows)
        + "]}";
  }

  private static String done(String result) {
    return "{\"kind\":\"Undo\",\"requestId\":\"r-2\",\"undoes\":\"r-1\",\"action\":\"resume\","
        + "\"controller\":\"demo\",\"change\":\"paused until resumed -> not paused\",\"result\":\""
        + result
        + "\",\"replica\":\"coxswain-0\",\"partial\":false,\"results\":[]}";
  }

  @Test
  void changes_areRowsWithTheirRequest_andWhetherTheyCanBeUndone() {
    server.on("GET /changes?limit=500", 200, list(ROW));
    assertThat(ctl.run("get", "changes")).as(ctl.errors()).isZero();
    assertThat(ctl.output().lines().toList().getFirst())
        .matches("REQUEST +AGE +ACTOR +ACTION +ON +CHANGE +RESULT +UNDO +REASON");
    assertThat(ctl.output().lines().toList().get(1))
        .matches("r-1 +\\S+ +alice +pause +demo +pause none -> until resumed +applied +yes +INC-1");
  }

  @Test
  void anUndo_sendsItsReason_andPrintsWhatIsRestored_andHowToGoBack() {
    server.on(UNDO, 200, done("applied"));
    assertThat(ctl.run("undo", "r-1", "--reason", "a mistake")).as(ctl.errors()).isZero();
    assertThat(ctl.output())
        .isEqualTo(
            "change/r-1 undone, controller/demo: paused until resumed -> not paused; to undo that:"
                + " undo r-2\n");
    assertThat(server.received().getFirst().body()).isEqualTo("{\"reason\":\"a mistake\"}");
    assertThat(server.received().getFirst().headers()).containsKey("idempotency-key");
  }

  @Test
  void withoutAnId_theLastChangeOfTheCallerIsShown_andNeedsAConfirmation() {
    server.on(MINE, 200, list(ROW)).on(UNDO, 200, done("applied"));
    assertThat(ctl.run("undo", "--reason=x")).isEqualTo(ExitCode.ABORTED);
    assertThat(ctl.errors())
        .contains("pause of controller/demo: pause none -> until resumed (INC-1), request r-1")
        .contains("add --yes to confirm");
    assertThat(server.received()).hasSize(1);
    assertThat(ctl.run("undo", "--reason=x", "--yes")).isZero();
    assertThat(ctl.typing("yes").run("undo", "--reason=x")).isZero();
    assertThat(ctl.typing("no").run("undo", "--reason=x")).isEqualTo(ExitCode.ABORTED);
  }

  @Test
  void withNothingToUndo_itSaysWhereToLook() {
    server.on(MINE, 200, list());
    assertThat(ctl.run("undo", "--reason=x", "--yes")).isEqualTo(1);
    assertThat(ctl.errors()).contains("none of your changes can be undone").contains("get changes");
  }

  @Test
  void theLastChange_isLookedForOnLaterPages_upToALimit() {
    String empty = list();
    String more = empty.substring(0, empty.length() - 1) + ",\"continue\":\"c1.x\"}";
    String next = MINE + "&continue=c1.x";
    server.on(MINE, 200, more).on(UNDO, 200, done("applied"));
    server.on(next, 200, list(ROW)).on(next, 200, more);
    assertThat(ctl.run("undo", "--reason=x", "--yes")).as(ctl.errors()).isZero();
    int before = server.received().size();
    assertThat(ctl.run("undo", "--reason=x", "--yes")).isEqualTo(1);
    assertThat(ctl.errors()).contains("among the last 10000 audit records; name the request");
    assertThat(server.received()).hasSize(before + 20);
  }

  @Test
  void aDryRun_needsNeitherReasonNorConfirmation() {
    server.on(MINE, 200, list(ROW)).on(UNDO, 200, done("preview"));
    for (List<String> line :
        List.of(List.of("undo", "--dry-run"), List.of("undo", "r-1", "--dry-run"))) {
      assertThat(ctl.run(line.toArray(String[]::new))).as(ctl.errors()).isZero();
      assertThat(ctl.output())
          .isEqualTo(
              "change/r-1 would be undone, controller/demo: paused until resumed -> not paused\n");
    }
    assertThat(server.received().getLast().body())
        .isEqualTo("{\"reason\":\"dry run\",\"dryRun\":true}");
  }

  @Test
  void aRefusal_isReportedInTheWordsOfTheServer_andEndsWith1() {
    server.on(
        UNDO,
        409,
        "{\"type\":\"https://coxswain.dev/problems/change-superseded\",\"title\":\"Cannot be undone\",\"status\":409,"
            + "\"detail\":\"It was changed since by \\\"bob\\\".\"}");
    assertThat(ctl.run("undo", "r-1", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("It was changed since by \"bob\".");
    assertThat(ctl.run("undo", "r-1", "r-2", "--reason=x")).isEqualTo(1);
  }

  @Test
  void ids_areCompletedByThoseThatCanBeUndone() {
    server.on("GET /changes?undoable=true", 200, list(ROW));
    assertThat(ctl.run("__complete", "undo", "r")).isZero();
    assertThat(ctl.output()).isEqualTo("r-1\n");
  }
}
