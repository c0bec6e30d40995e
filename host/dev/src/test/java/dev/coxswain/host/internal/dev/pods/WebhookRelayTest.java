// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.jvm.StallLimit;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The port that stands for the Service of the webhooks. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class WebhookRelayTest {

  @Test
  void aConnection_goesToAPodThatTakesIt_whenOthersAreGone() throws Exception {
    InetAddress alive = InetAddress.ofLiteral("127.0.1.2");
    try (ServerSocket pod = new ServerSocket(0, 5, alive);
        WebhookRelay relay =
            WebhookRelay.start(
                List.of("127.0.1.1", "127.0.1.2", "127.0.1.3"),
                pod.getLocalPort(),
                new StallLimit(StallLimit.DEFAULT))) {
      for (int i = 0; i < 3; i++) {
        try (Socket client =
                new Socket(InetAddress.getLoopbackAddress(), URI.create(relay.url()).getPort());
            Socket server = pod.accept()) {
          client.getOutputStream().write(1);
          assertThat(server.getInputStream().read()).isOne();
          server.getOutputStream().write(2);
          assertThat(client.getInputStream().read()).isEqualTo(2);
          server.close();
          assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
      }
    }
  }
}
