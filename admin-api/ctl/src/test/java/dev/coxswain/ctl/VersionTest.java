// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code version} shows every version, and warns of those that are not promised to work together. */
class VersionTest {

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  VersionTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void versionsOfOneMinorReleaseAndTheNext_needNoWarning() {
    replicas("1.4.2", "1.5.0-SNAPSHOT");
    assertThat(ctl.run("version")).isZero();
    assertThat(ctl.output())
        .isEqualTo(
            """
            Client version:  dev
            REPLICA      STATE   VERSION
            coxswain-0   ok      1.4.2
            coxswain-1   ok      1.5.0-SNAPSHOT
            """);
    assertThat(ctl.errors()).isEmpty();
  }

  @Test
  void versionsFurtherApart_areAWarning_andNoFailure() {
    replicas("1.4.2", "1.6.0");
    assertThat(ctl.run("version", "-o", "json")).isZero();
    assertThat(ctl.output()).contains("\"clientVersion\": \"dev\"", "\"version\": \"1.6.0\"");
    assertThat(ctl.errors())
        .isEqualTo(
            "warning: replica coxswain-0 is 1.4.2 and replica coxswain-1 is 1.6.0: versions more than"
                + " one minor release apart are not promised to work together\n");
  }

  @Test
  void twoMajorReleases_areAWarning() {
    replicas("0.9.0", "1.0.0");
    assertThat(ctl.run("version", "-o", "yaml")).isZero();
    assertThat(ctl.errors())
        .contains("replica coxswain-0 is 0.9.0 and replica coxswain-1 is 1.0.0");
  }

  @Test
  void theClient_needsNoServer_andIsShownWithoutOne() {
    CtlRunner alone =
        new CtlRunner().with("COXSWAIN_SERVER", "http://127.0.0.1:1").with("COXSWAIN_TOKEN", "t");
    assertThat(alone.run("version", "--client")).isZero();
    assertThat(alone.output()).isEqualTo("Client version:  dev\n");
    assertThat(alone.run("version")).isEqualTo(1);
    assertThat(alone.output()).isEqualTo("Client version:  dev\n");
    assertThat(alone.errors()).startsWith("error: ");
  }

  @Test
  void withoutTheRightToTheList_theReplicaThatAnswersIsShown() {
    server.on("GET /replicas", 403, "{\"title\":\"Forbidden\"}");
    server.on("GET ", 200, "{\"replica\":\"coxswain-1\",\"version\":\"0.4.0\"}");
    assertThat(ctl.run("version")).isZero();
    assertThat(ctl.output()).contains("coxswain-1   ok      0.4.0");
    assertThat(ctl.errors()).contains("only the replica that answers is shown");
  }

  private void replicas(String one, String other) {
    server.on(
        "GET /replicas",
        200,
        """
        {"items":[{"replica":"coxswain-0","state":"ok","version":"%s"},\
        {"replica":"coxswain-1","state":"ok","version":"%s"}]}\
        """
            .formatted(one, other));
  }
}
