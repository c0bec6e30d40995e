// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import dev.coxswain.testing.SelfSigned;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Passes the connections of a loopback port on, between network namespaces and out of TLS. */
public final class PortForward implements AutoCloseable {

  private static final int BACKLOG = 100;

  private final ServerSocket server;
  private final Callable<Socket> target;
  private final @Nullable SSLContext tls;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  private PortForward(ServerSocket server, Callable<Socket> target, @Nullable SSLContext tls) {
    this.server = server;
    this.target = target;
    this.tls = tls;
    Thread.ofVirtual().start(this::accept);
  }

  /**
   * Listens on 127.0.0.1.
   *
   * @param namespace where, or null for that of this process
   * @param port the port, or 0 for a free one
   * @param target opens the other end of a connection
   * @param key a certificate to present, or null for plain TCP
   */
  public static PortForward start(
      @Nullable NetworkNamespace namespace, int port, Callable<Socket> target, @Nullable Key key)
      throws Exception {
    Callable<ServerSocket> listen =
        () -> new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    return new PortForward(
        namespace == null ? listen.call() : namespace.in(listen),
        target,
        key == null ? null : key.context());
  }

  public int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (true) {
      try {
        Socket from = server.accept();
        open.add(from);
        Thread.ofVirtual().start(() -> connect(from));
      } catch (IOException _) {
        return; // closed
      }
    }
  }

  private void connect(Socket accepted) {
    try {
      Socket from = accepted;
      if (tls != null) {
        SSLSocket secured =
            (SSLSocket)
                tls.getSocketFactory().createSocket(accepted, null, accepted.getPort(), true);
        secured.setUseClientMode(false);
        secured.startHandshake();
        from = secured;
      }
      Socket client = from;
      Socket to = target.call();
      open.add(to);
      Thread.ofVirtual().start(() -> copy(to, client));
      copy(client, to);
    } catch (Exception _) {
      close(accepted); // the client sees that the other end is not there
    }
  }

  private void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException _) {
      // One of them has closed it.
    } finally {
      close(from);
      close(to);
    }
  }

  private void close(Socket socket) {
    open.remove(socket);
    try {
      socket.close();
    } catch (IOException _) {
      // It is of no use any more.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    open.forEach(this::close);
  }

  /** A self-signed certificate for 127.0.0.1 with its key. */
  public record Key(SSLContext context, String pem) {

    private static final String PASSWORD = SelfSigned.PASSWORD;

    public static Key create(Path folder) throws Exception {
      KeyStore keys =
          SelfSigned.add(
              folder.resolve("api-server.p12"),
              "key",
              "CN=api-server",
              "-ext",
              "SAN=IP:127.0.0.1",
              "-ext",
              "BC=ca:true");
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, PASSWORD.toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      Certificate certificate = keys.getCertificate(keys.aliases().nextElement());
      return new Key(
          context,
          "-----BEGIN CERTIFICATE-----\n"
              + Base64.getMimeEncoder().encodeToString(certificate.getEncoded())
              + "\n-----END CERTIFICATE-----\n");
    }
  }
}
