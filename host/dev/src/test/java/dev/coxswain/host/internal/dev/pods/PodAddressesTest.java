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
    try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.1.2"))) {
      assertThat(PodAddresses.find(2, List.of(port))).containsExactly("127.0.2.1", "127.0.2.2");
    }
    assertThat(PodAddresses.find(1, List.of(port))).containsExactly("127.0.1.1");
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
