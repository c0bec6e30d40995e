// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Bounds the connections of a server that are in their TLS handshake; {@link ConnectionLimits}
 * receives only those that have ended it. When there are too many, the oldest one is closed, so silent
 * ones exclude no client.
 *
 * <p>Thread rule: confined to the event loop of the server.
 */
final class HandshakeLimit {

  private final int most;
  private final Runnable onRefusal;
  private final Set<Channel> open = new LinkedHashSet<>();

  /**
   * Creates a limit.
   *
   * @param onRefusal called for each connection that is closed
   */
  HandshakeLimit(int most, Runnable onRefusal) {
    this.most = most;
    this.onRefusal = onRefusal;
  }

  /** Returns options for a server, which apply this limit. */
  SSLEngineOptions options() {
    return new LimitedOptions();
  }

  private void begun(Channel channel) {
    Channel oldest = open.size() < most ? null : open.iterator().next();
    open.add(channel);
    if (oldest != null) {
      open.remove(oldest); // first: its handshake may fail, and remove it, while it closes
      onRefusal.run();
      var _ = oldest.close();
    }
  }

  private final class LimitedOptions extends SSLEngineOptions {

    @Override
    public SSLEngineOptions copy() {
      return new LimitedOptions();
    }

    @Override
    public SslContextFactory sslContextFactory() {
      return new DefaultSslContextFactory(SslProvider.JDK, false) {
        @Override
        public SslContext create() throws SSLException {
          return new LimitedContext(super.create());
        }
      };
    }
  }

  /** Creates the handlers of connections. */
  private final class LimitedContext extends DelegatingSslContext {

    LimitedContext(SslContext context) {
      super(context);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator buffers, boolean startTls, Executor executor) {
      return new LimitedHandler(newEngine(buffers), startTls, executor);
    }

    @Override
    protected SslHandler newHandler(
        ByteBufAllocator buffers, String host, int port, boolean startTls, Executor executor) {
      return new LimitedHandler(newEngine(buffers, host, port), startTls, executor);
    }

    @Override
    protected void initEngine(SSLEngine engine) {}
  }

  private final class LimitedHandler extends SslHandler {

    LimitedHandler(SSLEngine engine, boolean startTls, Executor executor) {
      super(engine, startTls, executor);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
      Channel channel = context.channel();
      begun(channel);
      handshakeFuture().addListener(_ -> open.remove(channel));
      super.handlerAdded(context);
    }
  }
}
