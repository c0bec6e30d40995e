// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The configuration of each replica. */
class ConfigurationsTest {

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  ConfigurationsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  private static String configuration(String replica, String state, String restart, String error) {
    return """
    {"kind":"Configuration","replica":"%s","file":"/etc/coxswain/config.yaml","state":"%s",\
    "loadedAt":"2026-11-20T10:00:00Z","changed":["logging.level"],"needsRestart":[%s],\
    "settling":["default"],"errors":[%s],"reloads":1,"rejections":0}\
    """
        .formatted(replica, state, restart, error);
  }

  @Test
  void theConfigurationOfEachReplica_isListed_withItsFaults_andShownByName() {
    server.on(
        "GET /config",
        200,
        "{\"kind\":\"ConfigurationList\",\"partial\":false,\"replicas\":[],\"items\":["
            + configuration("coxswain-0", "restartNeeded", "\"drainLimit\"", "")
            + ","
            + configuration("coxswain-1", "rejected", "", "\"config.yaml:3: wrong\"")
            + "]}");
    assertThat(ctl.run("get", "config")).isZero();
    assertThat(ctl.output())
        .contains("REPLICA", "STATE", "NEEDS-RESTART", "ERROR")
        .containsPattern("coxswain-0 +restartNeeded .*drainLimit")
        .containsPattern("coxswain-1 +rejected .*config.yaml:3: wrong");
    assertThat(ctl.run("get", "config", "coxswain-0", "-o", "wide")).isZero();
    assertThat(ctl.output())
        .contains("/etc/coxswain/config.yaml", "logging.level", "default")
        .doesNotContain("coxswain-1");
    assertThat(ctl.run("get", "config", "-w")).isEqualTo(1);
  }
}
