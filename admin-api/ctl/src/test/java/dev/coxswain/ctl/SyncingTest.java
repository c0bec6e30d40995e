// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.cli.ExitCode;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is printed while a controller has not received all objects of its sources. */
class SyncingTest {

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  SyncingTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  /** It printed "No items found" alone and ended with 0. */
  @Test
  void anEmptyQueueOfASyncingController_isAWarning_andEndsWith2() {
    server.on(
        "GET /controllers/demo/items?namespace=default&limit=500",
        200,
        "{\"kind\":\"ItemList\",\"controller\":\"demo\",\"partial\":true,\"replicas\":[{\"replica\":\"coxswain-1\","
            + "\"state\":\"syncing\",\"error\":\"the controller has not received all objects of its sources yet\"}],\"items\":[]}");
    assertThat(ctl.run("get", "items", "demo")).isEqualTo(ExitCode.PARTIAL);
    assertThat(ctl.output()).isEmpty();
    assertThat(ctl.errors())
        .startsWith(
            "warning: replica coxswain-1: syncing (the controller has not received all objects of"
                + " its sources yet); items may be missing and counts too small\n");
  }
}
