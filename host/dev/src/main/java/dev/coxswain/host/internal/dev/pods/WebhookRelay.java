// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port of this machine that stands for the Service of the webhooks: each connection goes to the next pod that
 * takes it. An API server outside of the network of a cluster cannot reach a Service.
 *
 * <p>Thread rule: any thread; the start and the end block.
 */
final class WebhookRelay implements AutoCloseable {

  private static final String LOOPBACK = "127.0.0.1";
  private static final long CLOSE_MILLIS = 300;

  private final Vertx vertx;
  private final NetClient client;
  private final List<String> pods;
  private final int target;
  private final AtomicInteger next = new AtomicInteger();
  private final int port;

  private WebhookRelay(Vertx vertx, List<String> pods, int target, StallLimit limit)
      throws Exception {
    this.vertx = vertx;
    this.pods = List.copyOf(pods);
    this.target = target;
    this.client = vertx.createNetClient();
    this.port =
        limit
            .await(
                "the port of the webhooks",
                vertx
                    .createNetServer(new NetServerOptions().setHost(LOOPBACK).setPort(0))
                    .connectHandler(this::accept)
                    .listen())
            .actualPort();
  }

  /**
   * Opens the port.
   *
   * @param pods the addresses of the pods
   * @param target their port
   * @param limit how long it may take
   */
  static WebhookRelay start(List<String> pods, int target, StallLimit limit) throws HostException {
    VertxOptions options = new VertxOptions().setEventLoopPoolSize(1);
    options.getFileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    Vertx vertx = Vertx.vertx(options);
    try {
      return new WebhookRelay(vertx, pods, target, limit);
    } catch (Exception e) {
      // The future fails with the original exception.
      vertx.close();
      throw new HostException("the port of the webhooks cannot be opened: " + e.getMessage(), e);
    }
  }

  /** Returns the address for the API server. */
  String url() {
    return "https://" + LOOPBACK + ":" + port;
  }

  private void accept(NetSocket from) {
    from.pause();
    connect(pods.size())
        .onFailure(_ -> from.close())
        .onSuccess(to -> {
          from.pipeTo(to);
          to.pipeTo(from);
        });
  }

  private Future<NetSocket> connect(int left) {
    String pod = pods.get(Math.floorMod(next.getAndIncrement(), pods.size()));
    Future<NetSocket> connected = client.connect(target, pod);
    return left == 1 ? connected : connected.recover(_ -> connect(left - 1));
  }

  @Override
  public void close() {
    try {
      vertx.close().await(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      System.err.println("coxswain: the port of the webhooks did not close in time");
    }
  }
}
