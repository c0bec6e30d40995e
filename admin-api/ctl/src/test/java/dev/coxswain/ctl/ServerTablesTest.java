// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tables are printed as the server sends them; a server may have other columns than this version. */
class ServerTablesTest {

  private static final String TABLE =
      """
      {"kind":"Table","partial":true,"replicas":[],"warnings":["something is late"],"columnDefinitions":[\
      {"name":"SPACE","type":"string","format":"namespace","description":"","priority":0},\
      {"name":"NEW","type":"string","description":"","priority":0},\
      {"name":"COUNT","type":"integer","description":"","priority":0},\
      {"name":"TEXT","type":"string","format":"message","description":"","priority":0},\
      {"name":"RATE","type":"number","description":"","priority":1}],"rows":[\
      {"name":"one","cells":["a","x",7,"%s",1.0E-5]},{"name":"two","cells":["b",null,0,""]}]}\
      """
          .formatted("long ".repeat(20));

  private final FakeAdminApi server = new FakeAdminApi().on("GET /limiters", 200, TABLE);
  private final CtlRunner ctl = new CtlRunner(server);

  ServerTablesTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void theColumns_areThoseOfTheServer_andLongTextsAreCut() {
    assertThat(ctl.run("limiters")).isEqualTo(2);
    assertThat(ctl.output())
        .isEqualTo(
            """
            NEW      COUNT   TEXT
            x        7       %s...
            <none>   0       <none>
            """
                .formatted("long ".repeat(12).substring(0, 57)));
    assertThat(ctl.errors()).isEqualTo("warning: something is late\n");
    assertThat(server.received().getFirst().headers().get("accept"))
        .startsWith("application/json;as=Table,");
  }

  @Test
  void wideTables_haveAllColumns_alsoIfARowIsShorter() {
    ctl.run("limiters", "-o", "wide");
    assertThat(ctl.output().lines().map(line -> line.replaceFirst(".* ", "")))
        .containsExactly("RATE", "0.000010", "<none>");
  }

  @Test
  void names_areThoseOfTheRows() {
    ctl.run("limiters", "-o", "name");
    assertThat(ctl.output()).isEqualTo("limiter/one\nlimiter/two\n");
  }

  @Test
  void json_isTheListItself() {
    ctl.run("limiters", "-o", "json");
    assertThat(server.received().getFirst().headers().get("accept"))
        .startsWith("application/json,");
  }

  @Test
  void sortedTables_needTheObjects() {
    ctl.run("get", "limiters", "--sort-by", ".name");
    assertThat(server.received().getFirst().headers().get("accept"))
        .startsWith("application/json;as=Table;include=Object,");
  }

  @Test
  void aServerWithoutTables_isAnError() {
    // The fake makes tables of what has the status 200.
    server.on("GET /replicas", 203, "{\"kind\":\"ReplicaList\",\"items\":[]}");
    assertThat(ctl.run("replicas")).isEqualTo(1);
    assertThat(ctl.errors()).startsWith("error: the server sent no table");
    assertThat(ctl.run("replicas", "-o", "json")).isZero();
  }
}
