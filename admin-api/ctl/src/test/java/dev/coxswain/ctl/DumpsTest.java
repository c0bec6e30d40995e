// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Dumps: what is whole, and what is not. */
class DumpsTest {

  private static final Map<String, String> NDJSON = Map.of("Content-Type", "application/x-ndjson");

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  DumpsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void aDumpThatCannotBeWritten_saysWhy_unlessThePipeIsClosed() {
    server.on("GET /controllers", 200, "{\"items\":[{\"name\":\"a\",\"counts\":{}}]}");
    server.on(
        "GET /controllers/a/items", new FakeAdminApi.Reply(200, NDJSON, "{\"kind\":1}\n", false));
    assertThat(ctl.whoseOutputFails("Broken pipe").run("dump")).isEqualTo(141);
    assertThat(ctl.errors()).isEmpty();
    assertThat(ctl.whoseOutputFails("No space left on device").run("dump")).isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo("error: the output cannot be written: No space left on device\n");
  }

  @Test
  void aWholeDump_isPassedOnAsItIs() {
    String dump =
        """
        {"kind":"ItemDump","controller":"demo"}
        {"kind":"Item","id":"eA"}
        {"kind":"Trailer","complete":true,"count":1}
        """;
    server.on("GET /controllers/demo/items", new FakeAdminApi.Reply(200, NDJSON, dump, false));
    assertThat(ctl.run("dump", "demo")).isZero();
    assertThat(ctl.output()).isEqualTo(dump);
    assertThat(server.received().getLast().headers().get("accept"))
        .contains("application/x-ndjson");
  }

  @Test
  void oneReplicaAlone_canBeDumped() {
    String trailer = "{\"kind\":\"Trailer\",\"complete\":true,\"count\":0}\n";
    FakeAdminApi.Reply whole = new FakeAdminApi.Reply(200, NDJSON, trailer, false);
    server.on("GET /controllers/demo/items?replica=coxswain-1", whole);
    server.on("GET /controllers/demo/items?scope=local", whole);
    assertThat(ctl.run("dump", "demo", "--replica", "coxswain-1")).isZero();
    assertThat(ctl.run("dump", "demo", "--scope", "local")).isZero();
    assertThat(ctl.errors()).isEmpty();
  }

  @Test
  void aReplicaWhosePartIsMissing_isNamed_andEndsWith2() {
    String dump =
        """
        {"kind":"ItemDump","controller":"demo"}
        {"kind":"Item","replica":"coxswain-0","id":"eA"}
        {"kind":"Trailer","complete":false,"count":1,"replicas":[\
        {"replica":"coxswain-0","state":"ok","complete":true,"count":1},\
        {"replica":"coxswain-1","state":"unreachable","complete":false,"count":0,"error":"no route"}]}
        """;
    server.on("GET /controllers/demo/items", new FakeAdminApi.Reply(200, NDJSON, dump, false));
    assertThat(ctl.run("dump", "demo")).isEqualTo(2);
    assertThat(ctl.output()).isEqualTo(dump);
    assertThat(ctl.errors())
        .contains("the dump of controller demo is incomplete")
        .contains("replica coxswain-1 sent 0 items: no route")
        .doesNotContain("coxswain-0");
  }

  @Test
  void aDumpThatIsNotWhole_endsWith2() {
    List<FakeAdminApi.Reply> replies =
        List.of(
            new FakeAdminApi.Reply(200, NDJSON, "{\"kind\":\"ItemDump\"}\n{\"kind\":\"It", true),
            new FakeAdminApi.Reply(200, NDJSON, "{\"kind\":\"ItemDump\"}\n", false),
            new FakeAdminApi.Reply(200, NDJSON, "", false),
            new FakeAdminApi.Reply(
                200, NDJSON, "{\"kind\":\"Trailer\",\"complete\":true,\"count\":0}", false),
            new FakeAdminApi.Reply(
                200, NDJSON, "{\"kind\":\"Trailer\",\"complete\":false}\n", false));
    for (FakeAdminApi.Reply reply : replies) {
      try (FakeAdminApi one = new FakeAdminApi()) {
        one.on("GET /controllers/demo/items", reply);
        CtlRunner before = new CtlRunner(one);
        assertThat(before.run("dump", "demo")).as(reply.body()).isEqualTo(2);
        assertThat(before.errors())
            .containsPattern(
                "the dump of controller demo (is incomplete: it ended early|is incomplete)");
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void withoutANameAllControllersAreDumped_andAFilterHolds() {
    server.on(
        "GET /controllers",
        200,
        "{\"items\":[{\"name\":\"a\",\"counts\":{}},{\"name\":\"failed\"},{\"name\":\"b\",\"counts\":{}}]}");
    String trailer = "{\"kind\":\"Trailer\",\"complete\":true,\"count\":0}\n";
    server.on(
        "GET /controllers/a/items?failing=true",
        new FakeAdminApi.Reply(200, NDJSON, trailer, false));
    server.on(
        "GET /controllers/b/items?failing=true",
        new FakeAdminApi.Reply(200, NDJSON, trailer, false));
    assertThat(ctl.run("dump", "--failing")).isZero();
    assertThat(ctl.output()).isEqualTo(trailer + trailer);
  }
}
