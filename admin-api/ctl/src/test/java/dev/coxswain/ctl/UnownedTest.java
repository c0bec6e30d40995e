// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.cli.ExitCode;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is printed while no replica runs a controller. */
class UnownedTest {

  private static final String UNOWNED =
      """
      {"kind":"Controller","name":"demo","replica":"coxswain-0","state":"unowned","since":"2026-11-20T10:01:47Z",\
      "lastOwner":"coxswain-2","owned":false,"conditions":[{"type":"noOwner","since":"2026-11-20T10:01:47Z","replica":"coxswain-0",\
      "message":"coxswain-2 ran it last, and no other replica has taken it over yet"}]}\
      """;

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  UnownedTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  /** It printed "No controllers found." and ended with 0. */
  @Test
  void aControllerWithoutOwner_isAWarningWithItsTime_andEndsWith2() {
    server.on(
        "GET /controllers",
        200,
        "{\"kind\":\"ControllerList\",\"partial\":true,\"replicas\":[{\"replica\":\"coxswain-0\",\"state\":\"ok\"}],\"items\":[%s]}"
            .formatted(UNOWNED));
    assertThat(ctl.run("get", "controllers")).isEqualTo(ExitCode.PARTIAL);
    assertThat(ctl.output()).contains("demo   unowned   <none>");
    assertThat(ctl.errors())
        .startsWith("warning: controller demo: no owner for ")
        .endsWith(": coxswain-2 ran it last, and no other replica has taken it over yet\n");
  }

  @Test
  void itemsOfAControllerWithoutOwner_areAnErrorWithTheReason() {
    server.on(
        "GET /controllers/demo/items?namespace=default&limit=500",
        503,
        "{\"type\":\"https://coxswain.dev/problems/no-owner\",\"title\":\"No owner\",\"status\":503,\"requestId\":\"r1\",\"detail\":\"controller \\\"demo\\\" has no owner since 2026-11-20T10:01:47Z: coxswain-2 ran it last\"}");
    assertThat(ctl.run("get", "items", "demo")).isEqualTo(ExitCode.ERROR);
    assertThat(ctl.errors())
        .isEqualTo(
            "Error from server (No owner): controller \"demo\" has no owner since"
                + " 2026-11-20T10:01:47Z: coxswain-2 ran it last\n");
  }
}
