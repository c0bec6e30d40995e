// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The plug-ins of a host, and the actions on them. */
class PluginsTest {

  private static final String COPIER = "/plugins/copier";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  PluginsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  private static String plugin(String replica, String phase, String error, String more) {
    return """
    {"kind":"Plugin","name":"copier","replica":"%s","phase":"%s","error":"%s",\
    "since":"2026-11-20T10:00:00Z","controllers":["copier","two"],"digest":"cafe",\
    "deployments":3%s}\
    """
        .formatted(replica, phase, error, more);
  }

  private static String result(String result, String phase) {
    return "{\"kind\":\"PluginResult\",\"plugin\":\"copier\",\"result\":\"%s\",\"phase\":\"%s\"}"
        .formatted(result, phase);
  }

  @Test
  void plugins_areListed_andShownByName() {
    server.on(
        "GET /plugins",
        200,
        "{\"kind\":\"PluginList\",\"partial\":false,\"replicas\":[],\"items\":["
            + plugin("coxswain-0", "running", "", "")
            + ","
            + plugin("coxswain-1", "failed", "no controller found", "")
            + "]}");
    assertThat(ctl.run("get", "plugins")).isZero();
    assertThat(ctl.output())
        .contains("NAME", "REPLICA", "PHASE", "CONTROLLERS", "ERROR")
        .containsPattern("copier +coxswain-0 +running +copier,two")
        .containsPattern("copier +coxswain-1 +failed .*no controller found");
    assertThat(ctl.run("get", "plugins", "-o", "wide")).isZero();
    assertThat(ctl.output()).contains("cafe", "DEPLOYMENTS");
    server.on("GET " + COPIER, 200, plugin("coxswain-0", "running", "", ""));
    assertThat(ctl.run("get", "plugin", "copier", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("plugin/copier\n");
    assertThat(ctl.run("get", "plugins", "-w")).isEqualTo(1);
    assertThat(ctl.errors()).contains("plugins cannot be watched");
  }

  @Test
  void anAction_waitsUntilItHasEndedOnAllReplicas() {
    server.on("POST " + COPIER + "/stop", 200, result("applied", "stopping"));
    String copy = ",\"copies\":[" + plugin("coxswain-1", "%s", "", "") + "]";
    server.on(
        "GET " + COPIER, 200, plugin("coxswain-0", "stopped", "", copy.formatted("stopping")));
    server.on("GET " + COPIER, 200, plugin("coxswain-0", "stopped", "", copy.formatted("stopped")));
    assertThat(ctl.run("plugin", "stop", "plugin/copier", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("plugin/copier stopped\n");
    assertThat(ctl.waits()).containsExactly(Duration.ofSeconds(1));
    assertThat(server.received().getFirst().body()).isEqualTo("{\"reason\":\"x\"}");
  }

  @Test
  void anAction_needNotWait_andMayNotBeNeeded() {
    server.on("POST " + COPIER + "/redeploy", 200, result("applied", "loading"));
    assertThat(ctl.run("plugin", "redeploy", "copier", "--wait=false", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("plugin/copier loading\n");
    server.on("POST " + COPIER + "/deploy", 200, result("skipped", "running"));
    server.on("GET " + COPIER, 200, plugin("coxswain-0", "running", "", ""));
    assertThat(ctl.run("plugin", "deploy", "copier", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("plugin/copier is running already\n");
  }

  @Test
  void aPluginThatFails_isAnErrorWithItsCause() {
    server.on("POST " + COPIER + "/deploy", 200, result("applied", "loading"));
    server.on("GET " + COPIER, 200, plugin("coxswain-0", "failed", "no controller found", ""));
    assertThat(ctl.run("plugin", "deploy", "copier", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors())
        .contains("plugin/copier failed on replica coxswain-0: no controller found");
  }

  @Test
  void anUnknownAction_isRefusedBeforeAnyRequest() {
    assertThat(ctl.run("plugin", "depoly", "copier", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("unknown action \"depoly\"", "deploy");
    assertThat(ctl.run("plugin", "deploy", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("plugin deploy|stop|redeploy NAME...");
    assertThat(server.received()).isEmpty();
  }
}
