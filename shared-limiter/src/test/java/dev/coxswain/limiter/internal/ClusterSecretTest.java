// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.hazelcast.MemberConfig;
import dev.coxswain.testing.process.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** The secret of a cluster: whom it keeps out, and where it can be read. */
@Isolated
class ClusterSecretTest {
  private static final String SECRET = "a secret that is long enough";
  private static final ClusterSecret ONE = ClusterSecret.of(SECRET);
  private static final ClusterSecret OTHER = ClusterSecret.of("another one, also long enough");

  private final List<HazelcastInstance> members = new ArrayList<>();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @TempDir private Path folder;

  @AfterEach
  void end() {
    members.forEach(member -> member.getLifecycleService().terminate());
  }

  private static MemberOptions options(ClusterSecret secret) {
    return MemberOptions.of("any").withClusterName("secret-test").withClusterSecret(secret);
  }

  private HazelcastInstance start(ClusterSecret secret, int port, int joins) {
    HazelcastInstance member =
        Hazelcast.newHazelcastInstance(
            MemberConfig.of(
                options(secret).withPort(port).withMembers(List.of("127.0.0.1:" + joins)),
                ReplicaView.fixed(new Lease(0, 0), 1)));
    members.add(member);
    return member;
  }

  @Test
  void memberWithAnotherSecret_isRefused_whichIsLogged_andNoLogHoldsTheName() throws Exception {
    Logger hazelcast = (Logger) LoggerFactory.getLogger("com.hazelcast");
    Logger system = (Logger) LoggerFactory.getLogger("com.hazelcast.system");
    hazelcast.setLevel(Level.INFO);
    system.setLevel(Level.WARN); // as the host has it
    logged.start();
    hazelcast.addAppender(logged);
    try {
      List<Integer> ports = FreePorts.find(3);
      HazelcastInstance first = start(ONE, ports.get(0), ports.get(0));
      HazelcastInstance stranger = start(OTHER, ports.get(1), ports.get(0));
      HazelcastInstance second = start(ONE, ports.get(2), ports.get(0));
      assertThat(first.getCluster().getMembers()).hasSize(2);
      assertThat(second.getCluster().getMembers()).hasSize(2);
      assertThat(stranger.getCluster().getMembers()).hasSize(1);
    } finally {
      hazelcast.detachAppender(logged);
      hazelcast.setLevel(null);
      system.setLevel(null);
    }
    List<String> lines =
        List.copyOf(logged.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertThat(lines)
        .anyMatch(line -> line.contains("invalid join request"))
        .anyMatch(line -> line.contains("different cluster-name"))
        .noneMatch(line -> line.contains(ONE.digest("secret-test")))
        .noneMatch(line -> line.contains(OTHER.digest("secret-test")))
        .noneMatch(line -> line.contains(SECRET));
  }

  /** What the documentation says: the digest can be read by what listens where a member is. */
  @Test
  void nameTravelsInClearText_butNeverTheSecret() throws Exception {
    List<Integer> ports = FreePorts.find(2);
    start(ONE, ports.get(0), ports.get(0));
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform().daemon().start(() -> relay(proxy, ports.get(0), sent));
      start(OTHER, ports.get(1), proxy.getLocalPort());
    }
    String seen = sent.toString(StandardCharsets.ISO_8859_1);
    assertThat(seen).contains(options(OTHER).hazelcastName());
    assertThat(seen).doesNotContain(options(ONE).hazelcastName());
    assertThat(seen).doesNotContain("another one, also long enough");
  }

  private static void relay(ServerSocket proxy, int port, ByteArrayOutputStream sent) {
    try {
      while (true) {
        Socket from = proxy.accept();
        Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
        Thread.ofPlatform().daemon().start(() -> copy(from, to, sent));
        Thread.ofPlatform().daemon().start(() -> copy(to, from, sent));
      }
    } catch (IOException e) {
      // the test is over
    }
  }

  private static void copy(Socket from, Socket to, ByteArrayOutputStream seen) {
    byte[] bytes = new byte[8_192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        synchronized (seen) {
          seen.write(bytes, 0, n);
        }
        to.getOutputStream().write(bytes, 0, n);
        to.getOutputStream().flush();
      }
    } catch (IOException e) {
      // the other side is gone
    }
  }

  @Test
  void secretIsShownNowhere_andTheGenerationLetsNobodyJoin() {
    MemberOptions options = options(ONE);
    assertThat(options.toString()).doesNotContain(SECRET).doesNotContain(ONE.digest("secret-test"));
    assertThat(options.generationName())
        .matches("secret-test-s[0-9a-f]{8}-.*")
        .isNotEqualTo(options(OTHER).generationName())
        .isEqualTo(options(ClusterSecret.of(SECRET)).generationName());
    String digest = ONE.digest("secret-test");
    assertThat(digest).hasSize(32).isNotEqualTo(ONE.digest("other-name"));
    assertThat(digest).doesNotContain(ONE.fingerprint("secret-test"));
    assertThat(options.hazelcastName()).contains(digest);
  }

  @Test
  void badSecret_isRefusedNamingTheKeyAndNotTheValue() throws Exception {
    assertThatThrownBy(() -> ClusterSecret.of("too short"))
        .hasMessageStartingWith("sharedLimiter.clusterSecret: expected a secret of 16 to 1024")
        .hasMessageNotContaining("too short");
    assertThatThrownBy(() -> ClusterSecret.read(folder.resolve("none")))
        .hasMessageStartingWith("sharedLimiter.clusterSecretFile: cannot read");
    Path file = Files.writeString(folder.resolve("secret"), SECRET + "\n");
    assertThat(ClusterSecret.read(file)).isEqualTo(ONE);
  }
}
