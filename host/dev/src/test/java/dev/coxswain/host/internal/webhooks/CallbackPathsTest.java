// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.Webhooks;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A path belongs to one source or webhook at a time. */
class CallbackPathsTest {

  private Future<?> start = Future.succeededFuture();
  private final WebhookDirectory directory = new WebhookDirectory(new HostMetrics("test"));
  private final CallbackPaths paths =
      new CallbackPaths(
          directory, () -> start, () -> 9443, () -> new CallbackPaths.Peers("", Optional.empty()));
  private final Handler<HttpServerRequest> first = _ -> {};
  private final Handler<HttpServerRequest> second = _ -> assertThat(paths).isNull();

  @Test
  void aPathInUse_isRefusedByName_andTheRefusedOneTakesNothingAway() {
    Webhooks guard = guard();
    String reviewed = guard.admission().getFirst().path();
    assertThat(directory.replace("", Map.of("guard", guard), false)).isEmpty();
    assertThat(paths.serve("/hook", first).succeeded()).isTrue();
    for (String path : new String[] {"/hook", reviewed}) {
      assertThat(paths.serve(path, second).cause()).hasMessageContaining(path);
    }
    assertThat(paths.withdraw("/hook", second).succeeded()).isTrue();
    assertThat(paths.find("/hook")).isEqualTo(first);
    assertThat(paths.withdraw("/hook", first).succeeded()).isTrue();
    assertThat(paths.find("/hook")).isNull();
    assertThat(paths.serve("/hook", second).succeeded()).isTrue();
  }

  private static Webhooks guard() {
    return new Webhooks("guard").validating(V1ConfigMap.class, _ -> AdmissionResponse.allowed());
  }

  @Test
  void aWebhookOnThePathOfACallback_isRefused_untilTheCallbackHasGone() {
    Webhooks guard = guard();
    String path = guard.admission().getFirst().path();
    assertThat(paths.serve(path, first).succeeded()).isTrue();
    assertThat(directory.replace("plugin", Map.of("guard", guard), false))
        .contains(path, "guard", "HTTP callback");
    assertThat(directory.find(path)).isNull();
    long version = directory.version();
    assertThat(paths.withdraw(path, first).succeeded()).isTrue();
    assertThat(directory.version()).isNotEqualTo(version);
    assertThat(directory.replace("plugin", Map.of("guard", guard), false)).isEmpty();
    assertThat(directory.find(path)).isNotNull();
    assertThat(directory.replace("plugin", Map.of(), true)).isEmpty();
    assertThat(directory.find(path)).isNull();
    assertThat(directory.former()).containsExactly("guard");
    assertThat(paths.serve(path, first).succeeded()).isTrue();
  }

  @Test
  void aServerThatCannotStart_leavesThePathFree() {
    start = Future.failedFuture("port in use");
    assertThat(paths.serve("/hook", first).failed()).isTrue();
    start = Future.succeededFuture();
    assertThat(paths.serve("/hook", second).succeeded()).isTrue();
  }
}
