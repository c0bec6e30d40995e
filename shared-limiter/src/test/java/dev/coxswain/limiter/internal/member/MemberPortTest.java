// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.process.FreePorts;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What reaches the port of a member and is none of its own. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // every wait inside has its own limit
@Order(1) // takes long
class MemberPortTest {
  private static final String CLUSTER = "port-test";
  private static final AtomicInteger foreignRuns = new AtomicInteger();

  private final long seed = Long.getLong("coxswain.seed", System.nanoTime());
  private final Vertx vertx = Vertx.vertx();
  private final List<LimiterMember> members = new ArrayList<>();
  private final List<HazelcastInstance> foreign = new ArrayList<>();
  private final List<String> joined = new CopyOnWriteArrayList<>();

  @AfterEach
  void end() {
    foreign.forEach(HazelcastInstance::shutdown);
    members.forEach(member -> Await.get(member.stop()));
    Await.get(vertx.close());
  }

  private LimiterMember start(int port, String cluster, List<String> addresses) {
    LimiterMember member =
        LimiterMember.create(
            vertx,
            MemberOptions.of("replica-" + port)
                .withPort(port)
                .withMembers(addresses)
                .withClusterName(cluster)
                .withMaxReplicas(1)
                .withFloorShare(0.2)
                .withViewAge(Duration.ofMillis(10)),
            ReplicaView.fixed(new Lease(0, System.nanoTime()), 1),
            joined::add);
    members.add(member);
    Await.get(member.start());
    return member;
  }

  private String startOne() throws IOException {
    int port = FreePorts.one();
    start(port, CLUSTER, List.of());
    return "127.0.0.1:" + port;
  }

  /** Every member serves from its pool, and none was replaced. */
  private void assertUnharmed() throws InterruptedException {
    for (LimiterMember member : members) {
      RetryBudget.Waiter waiter = member.budget(new LimiterSpec("x", 200, 100)).openWaiter("a");
      long before = member.status().limiters().getFirst().grantedByPool();
      Await.until(
          "the pool serves",
          () -> {
            waiter.tryAcquire(100);
            return member.status().limiters().getFirst().grantedByPool() > before + 10;
          },
          member::status);
    }
    assertThat(joined).hasSize(members.size());
  }

  private static String generationName() {
    return MemberOptions.of("any").withClusterName(CLUSTER).generationName();
  }

  private HazelcastInstance connect(String address) {
    ClientConfig config = new ClientConfig().setClusterName(generationName());
    config.getNetworkConfig().addAddress(address);
    config
        .getConnectionStrategyConfig()
        .getConnectionRetryConfig()
        .setClusterConnectTimeoutMillis(2_000);
    HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
    foreign.add(client);
    return client;
  }

  /** A member as Hazelcast sets it up by itself, that looks for others at these addresses. */
  private HazelcastInstance startForeignMember(int port, List<String> addresses) {
    Config config = new Config().setClusterName(generationName());
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.partition.count", "31"); // others may not join
    config.getJetConfig().setEnabled(false);
    config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(addresses);
    HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
    foreign.add(member);
    return member;
  }

  @Test
  void aClientOfHazelcast_cannotConnect_thoughItKnowsTheName() throws Exception {
    String address = startOne();
    assertThatThrownBy(() -> connect(address))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Unable to connect");
    assertUnharmed();

    int open = FreePorts.one();
    startForeignMember(open, List.of());
    assertThat(connect("127.0.0.1:" + open).getCluster().getMembers())
        .as("the same client, and a member as Hazelcast sets it up by itself")
        .hasSize(1);
  }

  @Test
  void aMemberOfAnotherCluster_doesNotJoin_andBothServe() throws Exception {
    List<Integer> ports = FreePorts.find(3);
    List<String> addresses = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    LimiterMember first = start(ports.get(0), CLUSTER, addresses);
    LimiterMember other = start(ports.get(1), CLUSTER + "-other", addresses);
    LimiterMember second = start(ports.get(2), CLUSTER, addresses);
    assertThat(second.status().members()).as("one of the same cluster joins").isEqualTo(2);
    assertUnharmed();
    assertThat(first.status().members()).isEqualTo(2);
    assertThat(other.status().members()).isEqualTo(1);
  }

  @Test
  void whoSpeaksAnotherProtocol_learnsNothing_andDoesNoHarm() throws Exception {
    String address = startOne();
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    byte[] noise = new byte[4_096];
    new Random(seed).nextBytes(noise);
    byte[] noiseOfAMember = noise.clone();
    // What comes after the name of the protocol, and begins with a version that there is not.
    System.arraycopy(ascii("HZC\0"), 0, noiseOfAMember, 0, 4);
    try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertRefused(port, ascii("GET /hazelcast/health HTTP/1.1\r\nHost: x\r\n\r\n"));
      assertRefused(port, ascii("POST /hazelcast/rest/management/cluster/state HTTP/1.1\r\n\r\n"));
      assertRefused(port, ascii("stats\r\n"));
      assertRefused(port, ascii("get coxswain-limiter-pools\r\n"));
      assertRefused(port, ascii("CP2"));
      assertRefused(port, HexFormat.of().parseHex("16030100c8010000c40303"));
      assertRefused(port, noise);
      assertRefused(port, noiseOfAMember);
      assertThat(silent.isConnected()).isTrue();
      assertUnharmed();
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The connection is closed with no more of an answer than the mark of a wrong protocol. */
  private void assertRefused(int port, byte[] sent) throws IOException {
    String what = "seed " + seed + ", sent " + HexFormat.of().formatHex(sent, 0, 3) + "...";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(sent);
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).as(what).isIn("", "HZX", "HZC");
    } catch (SocketException e) {
      assertThat(e).as(what).hasMessageContaining("reset"); // with what was sent unread
    }
  }

  /** A class that the member could load, and would run if it accepted it. */
  private static final class ForeignTask implements Callable<String>, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public String call() {
      foreignRuns.incrementAndGet();
      return "ran";
    }
  }

  @Test
  void aSerializedForeignClass_isNotRun_evenForOneThatJoinedAsAMember() throws Exception {
    String address = startOne();
    int port = FreePorts.one();
    HazelcastInstance intruder = startForeignMember(port, List.of(address, "127.0.0.1:" + port));
    assertThat(intruder.getCluster().getMembers()).hasSize(2);
    Member victim =
        intruder.getCluster().getMembers().stream()
            .filter(member -> !member.localMember())
            .findFirst()
            .orElseThrow();
    assertThatThrownBy(() ->
            intruder.getExecutorService("any").submitToMember(new ForeignTask(), victim).get())
        .hasStackTraceContaining("SecurityException")
        .hasStackTraceContaining("ForeignTask");
    assertThat(foreignRuns).hasValue(0);

    Member self = intruder.getCluster().getLocalMember();
    assertThat(intruder.getExecutorService("any").submitToMember(new ForeignTask(), self).get())
        .as("a member without the filter runs it")
        .isEqualTo("ran");
    foreign.forEach(HazelcastInstance::shutdown);
    foreign.clear();
    assertUnharmed();
  }
}
