// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.member;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports that are free on every address of this machine. */
public final class FreePorts {
  private FreePorts() {}

  static int one() throws IOException {
    return find(1).getFirst();
  }

  public static List<Integer> find(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ServerSocket socket = new ServerSocket(0);
      sockets.add(socket);
      ports.add(socket.getLocalPort());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }
}
