// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The token is sent only to servers with a trusted certificate. */
class TlsTest {

  @TempDir private Path folder;

  @Test
  void onlyACertificateThatIsTrusted_isTalkedTo() throws Exception {
    TestCertificates pairs = TestCertificates.make(folder, "server");
    TestCertificates others =
        TestCertificates.make(Files.createDirectory(folder.resolve("others")), "other");
    Path trusted = Files.writeString(folder.resolve("server.pem"), pairs.certificate());
    Path wrong = Files.writeString(folder.resolve("other.pem"), others.certificate());
    AtomicInteger received = new AtomicInteger();
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(pairs.serverContext()));
    server.createContext(
        "/api/v1/limiters",
        exchange -> {
          received.incrementAndGet();
          byte[] body = "{\"kind\":\"Table\"}".getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
    try {
      CtlRunner ctl =
          new CtlRunner()
              .with("COXSWAIN_SERVER", "https://127.0.0.1:" + server.getAddress().getPort())
              .with("COXSWAIN_TOKEN", "any");
      assertThat(ctl.run("limiters")).isEqualTo(1);
      assertThat(ctl.run("limiters", "--certificate-authority", wrong.toString())).isEqualTo(1);
      assertThat(ctl.errors())
          .contains("a certificate that is not trusted", "--certificate-authority");
      String[] set = {"limiters", "set", "default", "--rate=1", "--ttl=5m", "--reason=x"};
      assertThat(ctl.run(set)).isEqualTo(1);
      assertThat(ctl.errors())
          .contains("a certificate that is not trusted")
          .doesNotContain("whether the change was made");
      assertThat(received).hasValue(0);
      assertThat(ctl.run(with(set, "--certificate-authority=" + trusted))).isZero();
      assertThat(ctl.run(with(set, "--insecure-skip-tls-verify"))).isZero();
      assertThat(ctl.run("limiters", "--certificate-authority", trusted.toString()))
          .as(ctl.errors())
          .isZero();
      assertThat(ctl.run("limiters", "--insecure-skip-tls-verify")).isZero();
      assertThat(ctl.errors()).startsWith("warning: certificates are not checked");
      assertThat(ctl.run("limiters", "--certificate-authority", "/nowhere")).isEqualTo(1);
      assertThat(ctl.errors()).contains("no such file");
      CtlRunner plain =
          new CtlRunner()
              .with("COXSWAIN_SERVER", "http://127.0.0.1:" + server.getAddress().getPort())
              .with("COXSWAIN_TOKEN", "any");
      assertThat(plain.run("limiters")).isEqualTo(1);
      assertThat(plain.errors()).contains("if it uses TLS, use https://127.0.0.1:");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aCertificateForAnotherName_isReported() throws Exception {
    TestCertificates pairs = TestCertificates.make(folder, "server");
    Path trusted = Files.writeString(folder.resolve("server.pem"), pairs.certificate());
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(pairs.serverContext()));
    server.start();
    try {
      CtlRunner ctl =
          new CtlRunner()
              .with("COXSWAIN_SERVER", "https://localhost:" + server.getAddress().getPort())
              .with("COXSWAIN_TOKEN", "any");
      assertThat(ctl.run("limiters", "--certificate-authority=" + trusted)).isEqualTo(1);
      assertThat(ctl.errors()).contains("a certificate for another name");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aServerWithoutTls_isReported() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual()
          .start(() -> {
            try (Socket client = server.accept()) {
              client.getInputStream().read();
              client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8));
              client.shutdownOutput();
              client.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
              // The client has closed the connection; the assertions check that.
            }
          });
      String address = "127.0.0.1:" + server.getLocalPort();
      CtlRunner ctl =
          new CtlRunner()
              .with("COXSWAIN_SERVER", "https://" + address)
              .with("COXSWAIN_TOKEN", "any");
      assertThat(ctl.run("limiters")).isEqualTo(1);
      assertThat(ctl.errors()).contains("does not use TLS", "use http://" + address);
    }
  }

  private static String[] with(String[] words, String word) {
    String[] all = Arrays.copyOf(words, words.length + 1);
    all[words.length] = word;
    return all;
  }
}
