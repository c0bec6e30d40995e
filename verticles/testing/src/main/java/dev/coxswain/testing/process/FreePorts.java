// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.process;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that are free on every address of this machine. They are bound later, so none of those that
 * the system gives to outgoing connections and to port 0, which are above on Linux.
 *
 * <p>Thread rule: any thread.
 */
public final class FreePorts {
  private static final int FIRST = 15_000;
  private static final int END = 32_000;
  private static final int MAX_ATTEMPTS = 1_000;

  private FreePorts() {}

  public static int one() throws IOException {
    return find(1).getFirst();
  }

  /** Returns ports that were free just now, all different. */
  public static List<Integer> find(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(open());
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  private static ServerSocket open() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return new ServerSocket(ThreadLocalRandom.current().nextInt(FIRST, END));
      } catch (BindException e) {
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
