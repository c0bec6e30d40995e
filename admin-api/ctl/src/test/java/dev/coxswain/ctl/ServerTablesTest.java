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

  /** They come over the network, as the cells do. */
  @Test
  void headersAndNames_cannotControlTheTerminal() {
    String hostile = TABLE.replace("NEW", "N\\u001b[31mEW").replace("\"one\"", "\"o\\u001bne\"");
    server.on("GET /replicas", 203, hostile);
    ctl.run("replicas");
    assertThat(ctl.output()).doesNotContain("\u001b").contains("EW");
    server.on("GET /replicas", 203, hostile);
    ctl.run("replicas", "-o", "name");
    assertThat(ctl.output()).doesNotContain("\u001b").contains("replica/");
  }

  /** As while replicas of two versions answer: the values would stand under wrong headers. */
  @Test
  void aFurtherPageWithOtherColumns_isAnError() {
    String first = TABLE.replaceFirst("\"partial\"", "\"continue\":\"c1\",\"partial\"");
    server.on("GET /controllers/demo/items?limit=500", 203, first);
    server.on(
        "GET /controllers/demo/items?limit=500&continue=c1",
        203,
        TABLE.replaceFirst("\"NEW\"", "\"OTHER\""));
    assertThat(ctl.run("get", "items", "demo", "-A")).isEqualTo(1);
    assertThat(ctl.errors()).contains("error: a further page has other columns");
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
