// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.limiter.internal.MemberOptions;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The ports of the Hazelcast members, which are in the configuration of all replicas.
 *
 * @param ports the port of each replica
 */
record LimiterPorts(List<Integer> ports) {

  LimiterPorts {
    ports = List.copyOf(ports);
  }

  /**
   * Returns free ports: the default one and those after it, or any.
   *
   * @param count the number of ports
   * @param any whether to use any free ports
   */
  static LimiterPorts find(int count, boolean any) throws HostException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        ServerSocket usual = any ? null : tryOpen(MemberOptions.DEFAULT_PORT + i);
        held.add(usual == null ? FreePorts.open() : usual);
      }
      return new LimiterPorts(held.stream().map(ServerSocket::getLocalPort).toList());
    } catch (IOException e) {
      throw new HostException("no free ports for the replicas: " + e.getMessage(), e);
    } finally {
      held.forEach(LimiterPorts::close);
    }
  }

  /** Returns all members, as a value of the configuration. */
  String members() {
    return ports.stream()
        .map(port -> CoxswainConfiguration.LOOPBACK + ":" + port)
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static @Nullable ServerSocket tryOpen(int port) {
    try {
      return FreePorts.open(port);
    } catch (IOException e) {
      return null; // in use
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // If the port is taken meanwhile, the replica reports it.
    }
  }
}
