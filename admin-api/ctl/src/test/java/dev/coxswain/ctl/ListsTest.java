// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.cli.ExitCode;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Empty and ambiguous lists are explained. */
class ListsTest {

  private static final String CONTROLLERS =
      "{\"kind\":\"ControllerList\",\"items\":[{\"name\":\"demo\",\"state\":\"running\"}]}";
  private static final String EMPTY = "{\"kind\":\"List\",\"items\":[]}";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  ListsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  /** It was an empty list, as if the controller had done nothing. */
  @Test
  void aControllerThatThereIsNot_isAnErrorOfAListOfItsRecords() {
    server.on("GET /controllers", 200, CONTROLLERS);
    server.on("GET /operations?controller=dmeo", 200, EMPTY);
    server.on("GET /audit?controller=dmeo&limit=500", 200, EMPTY);
    for (String kind : new String[] {"operations", "audit"}) {
      assertThat(ctl.run("get", kind, "-c", "dmeo")).as(kind).isEqualTo(ExitCode.ERROR);
      assertThat(ctl.errors())
          .contains("no controller \"dmeo\", did you mean \"demo\"? (known: demo)");
    }
  }

  @Test
  void aControllerWithoutRecords_isAnEmptyList() {
    server.on("GET /controllers", 200, CONTROLLERS);
    server.on("GET /operations?controller=demo", 200, EMPTY);
    assertThat(ctl.run("get", "operations", "-c", "demo")).isZero();
    assertThat(ctl.errors()).isEqualTo("No operations found.\n");
  }

  /** They were two lines that differed in nothing. */
  @Test
  void itemsOfSeveralReplicas_nameTheirs() {
    server.on(
        "GET /controllers/demo/items?limit=500",
        200,
        """
        {"kind":"ItemList","asOf":[{"replica":"coxswain-0","asOfSeq":1},{"replica":"coxswain-1","asOfSeq":1}],"items":[\
        {"key":{"namespace":"a","name":"x"},"phase":"ready","failures":0,"replica":"coxswain-0"},\
        {"key":{"namespace":"a","name":"x"},"phase":"ready","failures":0,"replica":"coxswain-1"}]}\
        """);
    assertThat(ctl.run("get", "items", "demo", "-A")).isZero();
    assertThat(ctl.output().lines().findFirst())
        .hasValueSatisfying(line -> assertThat(line).endsWith("REPLICA"));
    assertThat(ctl.output().lines().skip(1))
        .anyMatch(line -> line.endsWith("coxswain-0"))
        .anyMatch(line -> line.endsWith("coxswain-1"));
  }

  /** The records before the last restart are missing, and it must not look as if there were none. */
  @Test
  void storedRecordsThatCannotBeRead_areAWarning_andEndWith2() {
    server.on(
        "GET /audit?limit=500",
        200,
        "{\"kind\":\"AuditList\",\"partial\":true,\"historyProblem\":\"records may be missing: no"
            + " answer\",\"replicas\":[{\"replica\":\"coxswain-0\",\"state\":\"ok\"}],\"items\":[]}");
    assertThat(ctl.run("get", "audit")).isEqualTo(ExitCode.PARTIAL);
    assertThat(ctl.errors()).startsWith("warning: records may be missing: no answer\n");
  }
}
