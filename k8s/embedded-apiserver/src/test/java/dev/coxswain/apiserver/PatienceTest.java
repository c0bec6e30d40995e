// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long blocking calls wait for an event loop that is late, as on a busy machine. */
class PatienceTest {

  @Test
  void aCall_waitsAsLongAsTheOptionsSay_andNamesThem() throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    CountDownLatch free = new CountDownLatch(1);
    try {
      EmbeddedApiServer server =
          EmbeddedApiServer.start(
                  vertx, EmbeddedApiServerOptions.defaults().withPatience(Duration.ofMillis(1500)))
              .await(1, TimeUnit.MINUTES);
      CountDownLatch busy = new CountDownLatch(1);
      vertx.runOnContext(_ -> {
        busy.countDown();
        try {
          free.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
      busy.await();
      assertThatThrownBy(
              () -> server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: late}}"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "the embedded API server did not answer within 1.5 s; withPatience of the options or"
                  + " COXSWAIN_STALL_LIMIT sets another limit; is it closed?");
    } finally {
      free.countDown();
      vertx.close().await(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void theVariable_isADuration_orTheCallerIsTold() {
    assertThat(EmbeddedApiServerOptions.patience(null, Duration.ofSeconds(7))).hasSeconds(7);
    assertThat(EmbeddedApiServerOptions.patience("", Duration.ofSeconds(7))).hasSeconds(7);
    assertThat(EmbeddedApiServerOptions.patience("1h30m", Duration.ofSeconds(7))).hasMinutes(90);
    assertThat(EmbeddedApiServerOptions.patience("1500ms", Duration.ZERO)).hasMillis(1500);
    for (String wrong : new String[] {"soon", "0", "0s", "-1s", "5"}) {
      assertThatThrownBy(() -> EmbeddedApiServerOptions.patience(wrong, Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "COXSWAIN_STALL_LIMIT: expected a duration such as 30s or 10m, found \"%s\"", wrong);
    }
    assertThat(EmbeddedApiServerOptions.defaults().patience()).isPositive();
    assertThatThrownBy(() -> EmbeddedApiServerOptions.defaults().withPatience(Duration.ZERO))
        .hasMessage("patience must be at least 1 ms, is PT0S");
  }
}
