// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.webhooks.TrainingCertificate;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A TLS port before the embedded API server, which has none: API servers in production have TLS, and clients send
 * no token without. Calls block.
 *
 * <p>Thread rule: one thread.
 */
public final class TlsRelay implements AutoCloseable {

  private static final String LOOPBACK = "127.0.0.1";

  private final Vertx vertx;
  private final URI target;
  private final NetClient client;
  private final int port;
  private final Path authority;
  private final StallLimit limit;

  private TlsRelay(Vertx vertx, URI target, Path certificate, StallLimit limit) throws Exception {
    this.vertx = vertx;
    this.target = target;
    this.limit = limit;
    this.client = vertx.createNetClient();
    this.authority = certificate.resolve(TrainingCertificate.AUTHORITY);
    NetServer server =
        vertx.createNetServer(
            new NetServerOptions()
                .setHost(LOOPBACK)
                .setPort(0)
                .setSsl(true)
                .setKeyCertOptions(
                    new PemKeyCertOptions()
                        .setCertPath(
                            certificate.resolve(TrainingCertificate.CERTIFICATE).toString())
                        .setKeyPath(certificate.resolve(TrainingCertificate.KEY).toString())));
    port =
        limit
            .await("the TLS port of the API server", server.connectHandler(this::connect).listen())
            .actualPort();
  }

  /**
   * Opens the port.
   *
   * @param server the address of the API server
   * @param certificate the folder of a {@link TrainingCertificate}
   * @param limit how long it may take to open and to close it
   */
  public static TlsRelay start(String server, Path certificate, StallLimit limit)
      throws HostException {
    Vertx vertx = Vertx.vertx();
    try {
      return new TlsRelay(vertx, URI.create(server), certificate, limit);
    } catch (Exception e) {
      // The future fails with the original exception.
      vertx.close();
      throw new HostException("the TLS port of the API server cannot be opened: " + e, e);
    }
  }

  /** Returns a kubeconfig with this port in place of the API server. */
  public String kubeconfig(String plain) {
    return plain.replace(
        "server: " + target,
        "server: https://%s:%d\n    certificate-authority: \"%s\""
            .formatted(LOOPBACK, port, authority));
  }

  private void connect(NetSocket from) {
    from.pause();
    client
        .connect(target.getPort(), target.getHost())
        .onFailure(_ -> from.close())
        .onSuccess(to -> {
          to.pipeTo(from);
          from.pipeTo(to);
        });
  }

  @Override
  public void close() {
    try {
      vertx.close().await(limit.length().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      System.err.println("coxswain: the TLS port of the API server did not close in time");
    }
  }
}
