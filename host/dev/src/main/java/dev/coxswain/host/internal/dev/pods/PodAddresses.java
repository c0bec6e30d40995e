// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of the loopback interface of Linux, which has all of {@code 127.0.0.0/8}: one for each pod, so that
 * all of them listen on the ports of the chart. They are held until they are closed: while a pod is started again its
 * ports are free, and another session would take them.
 *
 * <p>Thread rule: immutable.
 *
 * @param pods the addresses
 * @param held what other sessions find in use
 */
record PodAddresses(List<String> pods, ServerSocket held) implements Closeable {

  private static final int NETWORKS = 250;

  /** At the last address of a network, which no pod has. */
  private static final int HELD_PORT = 41_254;

  PodAddresses {
    pods = List.copyOf(pods);
  }

  /**
   * Returns the addresses {@code 127.0.K.1} and so on, with the first K that no other session holds and at which all ports are free.
   *
   * @throws HostException when there is none
   */
  static PodAddresses find(int count, Collection<Integer> ports) throws HostException {
    String refused = "";
    for (int network = 1; network <= NETWORKS; network++) {
      List<String> addresses = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        addresses.add("127.0.%d.%d".formatted(network, i));
      }
      ServerSocket held = hold("127.0.%d.254".formatted(network));
      if (held == null) {
        continue;
      }
      refused = refused(addresses, ports);
      if (refused.isEmpty()) {
        return new PodAddresses(addresses, held);
      }
      close(held);
    }
    throw new HostException(
        (refused.isEmpty() ? "127.0.0.0/8:" + HELD_PORT + " cannot be used" : refused)
            + ": another program listens on this port at every address, end it (ss -ltnp shows it)");
  }

  private static @Nullable ServerSocket hold(String address) {
    try {
      return new ServerSocket(HELD_PORT, 1, InetAddress.ofLiteral(address));
    } catch (IOException e) {
      return null; // another session has this network
    }
  }

  @Override
  public void close() {
    close(held);
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
