// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.admin.KeyPairs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What connections of clients leave of the file descriptors of a process that has few. */
@EnabledOnOs(OS.LINUX) // the limit is read from /proc
@Timeout(300)
class DescriptorsTest {

  private static final int LIMIT = 512;
  private static final int MANY = 700;

  /**
   * The connections of one port, and those of all. A port with TLS is the worst: a connection that
   * does not begin its handshake is not one of the HTTP server.
   */
  @Test
  void connectionsToEveryPort_leaveDescriptors(@TempDir Path folder) throws Exception {
    KeyPairs keys = KeyPairs.make(folder, "one");
    Path certificate = Files.writeString(folder.resolve("tls.crt"), keys.certificate("one"));
    Path key = Files.writeString(folder.resolve("tls.key"), keys.key("one"));
    Process host =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n " + LIMIT + " && exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                DescriptorsHost.class.getName(),
                "replicaName=test",
                "admin.port=0",
                "admin.auth.mode=none",
                "health.port=0",
                "metrics.port=0",
                "metrics.tls.certificate=" + certificate,
                "metrics.tls.key=" + key)
            .redirectErrorStream(true)
            .start();
    List<Socket> open = new ArrayList<>();
    try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(host.getInputStream(), StandardCharsets.UTF_8));
        OutputStream ask = host.getOutputStream()) {
      for (String url : said(lines).split(" ", -1)) {
        for (int i = 0; i < MANY; i++) {
          Socket socket = new Socket();
          open.add(socket);
          socket.connect(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), URI.create(url).getPort()),
              60_000);
        }
        ask.write('\n');
        ask.flush();
        assertThat(said(lines)).as("free descriptors after " + url).isEqualTo("40");
      }
    } finally {
      host.destroyForcibly().waitFor();
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private static String said(BufferedReader lines) throws IOException {
    StringBuilder others = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("## ")) {
        return line.substring(3);
      }
      others.append(line).append('\n');
    }
    throw new AssertionError("the host has ended:\n" + others);
  }
}
