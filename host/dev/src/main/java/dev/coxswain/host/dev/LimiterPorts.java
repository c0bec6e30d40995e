// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev;

import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.limiter.MemberOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The ports of the shared limiter's members, which all replicas must know before the first one
 * starts.
 *
 * @param ports the port of each replica
 */
record LimiterPorts(List<Integer> ports) {

  LimiterPorts {
    ports = List.copyOf(ports);
  }

  /**
   * Finds ports that are free now: the usual ones and those after it, or any.
   *
   * @param count how many
   * @param any whether the usual ones are not wanted
   */
  static LimiterPorts find(int count, boolean any) throws HostException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        ServerSocket usual = any ? null : tryOpen(MemberOptions.DEFAULT_PORT + i);
        held.add(usual == null ? open(0) : usual);
      }
      return new LimiterPorts(held.stream().map(ServerSocket::getLocalPort).toList());
    } catch (IOException e) {
      throw new HostException("there are no free ports for the replicas: " + e.getMessage(), e);
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
      return open(port);
    } catch (IOException e) {
      return null; // somebody has it
    }
  }

  private static ServerSocket open(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Then the replica finds the port in use, and says so.
    }
  }
}
