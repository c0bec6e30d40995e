// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Addresses of the loopback interface of Linux, which has all of {@code 127.0.0.0/8}: one for each pod, so that
 * all of them listen on the ports of the chart.
 *
 * <p>Thread rule: any thread.
 */
final class PodAddresses {

  private static final int NETWORKS = 250;

  private PodAddresses() {}

  /**
   * Returns the addresses {@code 127.0.K.1} and so on, with the first K at which all ports are free.
   *
   * @throws HostException when there is none
   */
  static List<String> find(int count, Collection<Integer> ports) throws HostException {
    String refused = "";
    for (int network = 1; network <= NETWORKS; network++) {
      List<String> addresses = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        addresses.add("127.0.%d.%d".formatted(network, i));
      }
      refused = refused(addresses, ports);
      if (refused.isEmpty()) {
        return addresses;
      }
    }
    throw new HostException(
        refused
            + ": another program listens on this port at every address, end it (ss -ltnp shows it)");
  }

  private static String refused(List<String> addresses, Collection<Integer> ports) {
    for (String address : addresses) {
      for (int port : ports) {
        try (ServerSocket socket = new ServerSocket()) {
          socket.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port));
        } catch (IOException e) {
          return "%s:%d cannot be used: %s".formatted(address, port, e.getMessage());
        }
      }
    }
    return "";
  }
}
