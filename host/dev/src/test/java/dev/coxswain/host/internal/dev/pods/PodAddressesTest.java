// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.host.internal.dev.FreePorts;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Addresses at which the ports of pods are free. */
@EnabledOnOs(OS.LINUX)
class PodAddressesTest {

  @Test
  void aPortInUse_atOneAddress_movesAllToTheNextNetwork() throws Exception {
    int port = FreePorts.find(1).getFirst();
    String network = network(port);
    try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.ofLiteral(network + ".2"));
        PodAddresses found = PodAddresses.find(2, List.of(port))) {
      assertThat(found.pods().getFirst()).endsWith(".1").doesNotStartWith(network + ".");
      assertThat(found.pods().getLast()).isEqualTo(found.pods().getFirst().replaceAll("1$", "2"));
    }
  }

  @Test
  void addressesOfASession_areNotGivenToAnother_evenWhenNoPodListens() throws Exception {
    int port = FreePorts.find(1).getFirst();
    try (PodAddresses first = PodAddresses.find(1, List.of(port));
        PodAddresses second = PodAddresses.find(1, List.of(port))) {
      assertThat(second.pods()).doesNotContainAnyElementsOf(first.pods());
    }
  }

  /** Other sessions on this machine may have the first ones. */
  private static String network(int port) throws Exception {
    try (PodAddresses free = PodAddresses.find(2, List.of(port))) {
      String first = free.pods().getFirst();
      return first.substring(0, first.lastIndexOf('.'));
    }
  }

  @Test
  void aPortInUse_atEveryAddress_isNamed() throws Exception {
    try (ServerSocket everywhere = new ServerSocket(0)) {
      assertThatThrownBy(() -> PodAddresses.find(1, List.of(everywhere.getLocalPort())))
          .isInstanceOf(HostException.class)
          .hasMessageContaining(":" + everywhere.getLocalPort() + " cannot be used");
    }
  }
}
