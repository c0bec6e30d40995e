// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback interface for processes that bind them later. The system gives none of them
 * to a connection or to port 0 in between.
 *
 * <p>Thread rule: any thread.
 */
public final class FreePorts {

  private static final int FIRST = 15_000;

  /** Below the range of Linux for outgoing connections and port 0, which begins at 32768. */
  private static final int END = 32_000;

  private static final int MAX_ATTEMPTS = 1_000;

  private FreePorts() {}

  /**
   * Returns different ports that are free now.
   *
   * @throws IOException when none is found
   */
  public static List<Integer> find(int count) throws IOException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        held.add(open());
      }
      return held.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
  }

  /** Opens one of these ports. */
  static ServerSocket open() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return open(ThreadLocalRandom.current().nextInt(FIRST, END));
      } catch (IOException e) {
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  static ServerSocket open(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }
}
