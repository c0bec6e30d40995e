// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas that find each other by a name with an address for each of them, as that of a headless
 * Service. The hosts file of the JVM stands for the name server.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // every wait inside has its own limit
@Order(1) // takes long
class DiscoveryByNameTest {
  private static final String NAME = "members.coxswain.test";

  @TempDir private Path folder;

  private static List<String> hosts(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "10.77.9." + i).toList();
  }

  private ReplicaProcesses replicas(int count) {
    return new ReplicaProcesses(folder, hosts(count).stream().map(host -> host + ":5701").toList());
  }

  /** Makes the name resolve to these addresses, in one step. */
  private Path resolveTo(List<String> addresses) throws IOException {
    StringBuilder lines = new StringBuilder("127.0.0.1 localhost\n");
    lines.append("127.0.0.1 ").append(InetAddress.getLocalHost().getHostName()).append('\n');
    addresses.forEach(address -> lines.append(address).append(' ').append(NAME).append('\n'));
    Path next = Files.writeString(folder.resolve("hosts.next"), lines);
    return Files.move(next, folder.resolve("hosts"), StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void aNameOfSeveralAddresses_bringsAllIntoOnePool_andNoWindowIsExceeded() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.with(hosts(3));
        ReplicaProcesses replicas = replicas(3)) {
      replicas.startAll(network, NAME, resolveTo(hosts(3)));
      replicas.awaitOnePool();
      replicas.assertNoWindowIsExceeded();
    }
  }

  @Test
  void aNameThatResolvesLate_isLookedUpAgain_andUntilThenEachHasItsFloor() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.with(hosts(2));
        ReplicaProcesses replicas = replicas(2)) {
      replicas.startAll(network, NAME, resolveTo(List.of()));
      replicas.await(
          "each runs alone and retries from its floor",
          () ->
              replicas.all().stream()
                  .allMatch(r ->
                      r.state.startsWith("members=1")
                          && r.state.endsWith("pool=false")
                          && r.starts() > 0));
      assertThat(replicas.all()).allMatch(r -> r.process.isAlive());
      resolveTo(hosts(2));
      replicas.awaitOnePool();
      replicas.assertNoWindowIsExceeded();
    }
  }
}
