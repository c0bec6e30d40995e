// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import okhttp3.Dns;

/**
 * Connections through a SOCKS5 proxy (RFC 1928, user names by RFC 1929). The proxy resolves the name
 * of the server. The JDK's sockets would send the name of the local user to a proxy that demands
 * one, and have one user name for all proxies of the process.
 *
 * <p>Thread rule: any thread.
 */
final class Socks5Connections extends ClientConnections {

  /** Keeps the name of a host, which the proxy resolves. */
  static final Dns UNRESOLVED =
      host -> List.of(InetAddress.getByAddress(host, new byte[] {0, 0, 0, 0}));

  private static final int VERSION = 5;
  private static final int NO_AUTHENTICATION = 0;
  private static final int PASSWORD = 2;
  private static final int IPV4 = 1;
  private static final int NAME = 3;
  private static final int IPV6 = 4;
  private static final int LONGEST = 255;

  private final ProxySettings proxy;

  Socks5Connections(ProxySettings proxy) {
    this.proxy = proxy;
  }

  @Override
  public Socket createSocket() {
    return new Through();
  }

  private final class Through extends Socket {
    @Override
    public void connect(SocketAddress endpoint) throws IOException {
      connect(endpoint, 0);
    }

    @Override
    public void connect(SocketAddress endpoint, int timeout) throws IOException {
      InetSocketAddress address = new InetSocketAddress(proxy.host(), proxy.port());
      int reads = getSoTimeout();
      super.connect(address, timeout);
      setSoTimeout(timeout);
      DataInputStream in = new DataInputStream(getInputStream());
      OutputStream out = getOutputStream();
      greet(in, out);
      request(in, out, (InetSocketAddress) endpoint);
      setSoTimeout(reads);
    }
  }

  private void greet(DataInputStream in, OutputStream out) throws IOException {
    boolean named = !proxy.user().isEmpty();
    out.write(
        named
            ? new byte[] {VERSION, 2, NO_AUTHENTICATION, PASSWORD}
            : new byte[] {VERSION, 1, NO_AUTHENTICATION});
    int version = in.readUnsignedByte();
    int method = in.readUnsignedByte();
    if (version != VERSION) {
      throw new ProtocolException(proxy + " is no SOCKS5 proxy");
    }
    if (method == PASSWORD && named) {
      byte[] user = text(proxy.user());
      byte[] password = text(proxy.password());
      out.write(1);
      out.write(user.length);
      out.write(user);
      out.write(password.length);
      out.write(password);
      in.readUnsignedByte();
      if (in.readUnsignedByte() != 0) {
        throw new ProtocolException(proxy + " refused its user name and password");
      }
    } else if (method != NO_AUTHENTICATION) {
      throw new ProtocolException(
          proxy + (named ? " accepts no user name and password" : " demands authentication"));
    }
  }

  private byte[] text(String text) throws ProtocolException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > LONGEST) {
      throw new ProtocolException("a text for " + proxy + " is longer than 255 bytes");
    }
    return bytes;
  }

  private void request(DataInputStream in, OutputStream out, InetSocketAddress server)
      throws IOException {
    InetAddress resolved = server.getAddress();
    String host = server.getHostString();
    out.write(new byte[] {VERSION, 1, 0});
    if (resolved != null && host.equals(resolved.getHostAddress())) {
      out.write(resolved instanceof Inet4Address ? IPV4 : IPV6);
      out.write(resolved.getAddress());
    } else {
      byte[] name = text(host);
      out.write(NAME);
      out.write(name.length);
      out.write(name);
    }
    out.write(server.getPort() >> 8);
    out.write(server.getPort());
    in.readUnsignedByte();
    int status = in.readUnsignedByte();
    if (status != 0) {
      throw new ProtocolException(proxy + " refused to connect to " + host + ": status " + status);
    }
    in.readUnsignedByte();
    int bound =
        switch (in.readUnsignedByte()) {
          case IPV4 -> 4;
          case IPV6 -> 16;
          case NAME -> in.readUnsignedByte();
          default -> throw new ProtocolException(proxy + " sent an unknown type of address");
        };
    in.skipNBytes(bound + 2L);
  }
}
