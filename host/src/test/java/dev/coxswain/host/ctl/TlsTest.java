// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.coxswain.host.admin.KeyPairs;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nobody who cannot show the right certificate is told the token. */
class TlsTest {

  @TempDir private Path folder;

  @Test
  void onlyACertificateThatIsTrusted_isTalkedTo() throws Exception {
    KeyPairs pairs = KeyPairs.make(folder, "server");
    KeyPairs others = KeyPairs.make(Files.createDirectory(folder.resolve("others")), "other");
    Path trusted = Files.writeString(folder.resolve("server.pem"), pairs.certificate("server"));
    Path wrong = Files.writeString(folder.resolve("other.pem"), others.certificate("other"));
    AtomicInteger asked = new AtomicInteger();
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(pairs.serverContext()));
    server.createContext(
        "/api/v1/limiters",
        exchange -> {
          asked.incrementAndGet();
          byte[] body = "{\"items\":[]}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
    try {
      Stage stage =
          new Stage()
              .with("COXSWAIN_SERVER", "https://127.0.0.1:" + server.getAddress().getPort())
              .with("COXSWAIN_TOKEN", "any");
      assertThat(stage.run("limiters")).isEqualTo(1);
      assertThat(stage.run("limiters", "--certificate-authority", wrong.toString())).isEqualTo(1);
      assertThat(stage.errors()).contains("the connection to the admin API at https://127.0.0.1:");
      assertThat(asked).hasValue(0);
      assertThat(stage.run("limiters", "--certificate-authority", trusted.toString()))
          .as(stage.errors())
          .isZero();
      assertThat(stage.run("limiters", "--insecure-skip-tls-verify")).isZero();
      assertThat(stage.errors()).startsWith("warning: no certificate is checked");
      assertThat(stage.run("limiters", "--certificate-authority", "/nowhere")).isEqualTo(1);
      assertThat(stage.errors()).contains("there is no such file");
    } finally {
      server.stop(0);
    }
  }
}
