// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Sockets that the HTTP client connects itself; the other forms connect what {@link #createSocket()}
 * returns.
 *
 * <p>Thread rule: any thread.
 */
public abstract class ClientConnections extends SocketFactory {

  @Override
  public abstract Socket createSocket() throws IOException;

  private Socket connected(InetSocketAddress remote) throws IOException {
    Socket socket = createSocket();
    socket.connect(remote);
    return socket;
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    throw new UnsupportedOperationException("no local address can be chosen");
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    throw new UnsupportedOperationException("no local address can be chosen");
  }
}
