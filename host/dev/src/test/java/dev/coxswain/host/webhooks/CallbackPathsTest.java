// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A path belongs to one source or webhook at a time. */
class CallbackPathsTest {

  private Future<?> start = Future.succeededFuture();
  private final CallbackPaths paths =
      new CallbackPaths(
          () -> start, () -> 9443, () -> new CallbackPaths.Peers("", Optional.empty()));
  private final Handler<HttpServerRequest> first = _ -> {};
  private final Handler<HttpServerRequest> second = _ -> assertThat(paths).isNull();

  @Test
  void aPathInUse_isRefusedByName_andTheRefusedOneTakesNothingAway() {
    paths.reserve("/validate");
    assertThat(paths.serve("/hook", first).succeeded()).isTrue();
    for (String path : new String[] {"/hook", "/validate"}) {
      assertThat(paths.serve(path, second).cause()).hasMessageContaining(path);
    }
    assertThat(paths.withdraw("/hook", second).succeeded()).isTrue();
    assertThat(paths.find("/hook")).isEqualTo(first);
    assertThat(paths.withdraw("/hook", first).succeeded()).isTrue();
    assertThat(paths.find("/hook")).isNull();
    assertThat(paths.serve("/hook", second).succeeded()).isTrue();
  }

  @Test
  void aServerThatCannotStart_leavesThePathFree() {
    start = Future.failedFuture("port in use");
    assertThat(paths.serve("/hook", first).failed()).isTrue();
    start = Future.succeededFuture();
    assertThat(paths.serve("/hook", second).succeeded()).isTrue();
  }
}
