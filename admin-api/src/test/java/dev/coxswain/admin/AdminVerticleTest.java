// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.http.internal.ServerCertificate;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.process.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminVerticleTest {

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "10.1.2.3", "::", "example.com", "localhost.example.com", ""})
  void anAddressThatIsNotLoopback_isRefused(String host) {
    assertThatThrownBy(() -> AdminOptions.DEFAULT.withHost(host))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("loopback only")
        .hasMessageContaining("\"" + host + "\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "127.0.0.2", "::1"})
  void aLoopbackAddress_isTaken(String host) {
    assertThat(AdminOptions.DEFAULT.withHost(host).host()).isEqualTo(host);
  }

  @Test
  void withoutAuthentication_onlyLoopbackIsTaken_alsoWithTls() {
    AdminOptions options =
        AdminOptions.DEFAULT
            .withCertificate(new ServerCertificate(new byte[0], new byte[0]))
            .withHost("0.0.0.0");
    assertThatThrownBy(() -> verticle(options, new FakeDirectory()))
        .hasMessageContaining("without authentication the admin API binds to loopback only");
  }

  @Test
  void aPortInUse_failsTheDeployment_withOneClearSentence() {
    try (Api api = new Api()) {
      assertThatThrownBy(() ->
              api.vertx
                  .deployVerticle(verticle(AdminOptions.DEFAULT.withPort(api.port), api.directory))
                  .await())
          .hasMessageContaining("cannot listen on 127.0.0.1:" + api.port)
          .hasMessageContaining("configure another one");
    }
  }

  @Test
  void actualPort_isKnownOnlyAfterTheStart() {
    AdminVerticle verticle = verticle(AdminOptions.DEFAULT, new FakeDirectory());
    assertThatThrownBy(verticle::actualPort).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void badLimits_areRefused() {
    assertThatThrownBy(() -> AdminOptions.DEFAULT.withPort(70_000))
        .hasMessageContaining("port must be from 0 to 65535");
    assertThatThrownBy(() -> AdminOptions.DEFAULT.withMaxInFlight(0))
        .hasMessageContaining("maxInFlight");
    assertThatThrownBy(() -> AdminOptions.DEFAULT.withRequestTimeout(Duration.ZERO))
        .hasMessageContaining("requestTimeout");
  }

  @Test
  void undeploying_closesThePortAndLeavesOthersAlone() throws Exception {
    try (Api api = new Api()) {
      // Of a port that the system chose another server could be the next one at once.
      AdminVerticle second =
          verticle(AdminOptions.DEFAULT.withPort(FreePorts.one()), api.directory);
      String id = api.vertx.deployVerticle(second).await();
      assertThat(second.actualPort()).isNotEqualTo(api.port);
      api.vertx.undeploy(id).await();
      // The system closes it some milliseconds after the server has ended.
      Await.until("no connection", () -> !accepts(second.actualPort()));
      api.get("/api/v1").ok(200);
    }
  }

  private static boolean accepts(int port) {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static AdminVerticle verticle(AdminOptions options, ControllerDirectory directory) {
    return new AdminVerticle(options, directory, AccessControl.open(), Clock.system());
  }
}
