// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.internal.process.DescriptorLimit;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transport of NIO, with bounds on the connections that servers accept: of one, and of all in the
 * process. They count from the accepted socket on, so connections that never begin their TLS
 * handshake count, too; limits of an HTTP server count only those that have ended it.
 *
 * <p>Thread rule: any thread.
 */
final class BoundedTransport implements Transport {

  /** The part of the descriptors for connections of one server, and of all of them. */
  private static final int ONE = 6;

  private static final int ALL = 2;

  private static final AtomicInteger OPEN = new AtomicInteger();

  private static final Logger LOG = LoggerFactory.getLogger(BoundedTransport.class);
  private static final long APART = TimeUnit.MINUTES.toNanos(1);
  private static final LongAdder REFUSED = new LongAdder();
  private static final AtomicLong REPORTED = new AtomicLong(System.nanoTime() - APART);

  private final int one;
  private final int all;

  BoundedTransport() {
    this(DescriptorLimit.part(ONE), DescriptorLimit.part(ALL));
  }

  /**
   * Creates a transport.
   *
   * @param one the most connections that one server accepts
   * @param all the most connections that all servers of the process accept
   */
  BoundedTransport(int one, int all) {
    this.one = one;
    this.all = all;
  }

  @Override
  public String name() {
    return NIO.name();
  }

  @Override
  public boolean available() {
    return NIO.available();
  }

  @Override
  public Throwable unavailabilityCause() {
    return NIO.unavailabilityCause();
  }

  @Override
  public io.vertx.core.spi.transport.Transport implementation() {
    io.vertx.core.spi.transport.Transport nio = NIO.implementation();
    return new io.vertx.core.spi.transport.Transport() {
      @Override
      public boolean supportsDomainSockets() {
        return nio.supportsDomainSockets();
      }

      @Override
      public java.net.SocketAddress convert(SocketAddress address) {
        return nio.convert(address);
      }

      @Override
      public SocketAddress convert(java.net.SocketAddress address) {
        return nio.convert(address);
      }

      @Override
      public IoHandlerFactory ioHandlerFactory() {
        return nio.ioHandlerFactory();
      }

      @Override
      public DatagramChannel datagramChannel() {
        return nio.datagramChannel();
      }

      @Override
      @SuppressWarnings("deprecation") // Vert.x has no other signature
      public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return nio.datagramChannel(family);
      }

      @Override
      public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return nio.channelFactory(domainSocket);
      }

      @Override
      public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return domainSocket ? nio.serverChannelFactory(true) : Server::new;
      }
    };
  }

  /** Reports refusals, at most once a minute: a client that has none left tries again at once. */
  private static void refused(int port, int ofServer, int ofProcess) {
    REFUSED.increment();
    long now = System.nanoTime();
    long before = REPORTED.get();
    if (now - before >= APART && REPORTED.compareAndSet(before, now)) {
      LOG.atWarn()
          .addKeyValue("port", port)
          .addKeyValue("openOfPort", ofServer)
          .addKeyValue("open", ofProcess)
          .addKeyValue("closed", REFUSED.sumThenReset())
          .log("new connections closed, there are as many as the file descriptors allow");
    }
  }

  /** A listening socket. */
  private final class Server extends NioServerSocketChannel {

    private final AtomicInteger open = new AtomicInteger();

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int read = super.doReadMessages(accepted);
      if (read > 0 && accepted.getLast() instanceof Channel connection) {
        int ofServer = open.incrementAndGet();
        int ofProcess = OPEN.incrementAndGet();
        if (ofServer > one || ofProcess > all) {
          open.decrementAndGet();
          OPEN.decrementAndGet();
          accepted.removeLast();
          connection.unsafe().closeForcibly();
          refused(localAddress().getPort(), ofServer, ofProcess);
          return 0;
        }
        connection.closeFuture().addListener(_ -> closed(connection));
      }
      return read;
    }

    /**
     * The JDK closes the descriptor with the next selection of the event loop, which comes before the
     * loop looks for tasks with a delay.
     */
    private void closed(Channel connection) {
      try {
        connection
            .eventLoop()
            .schedule(() -> {}, 1, TimeUnit.MILLISECONDS)
            .addListener(_ -> release()); // also when the loop is shut down before
      } catch (IllegalStateException | RejectedExecutionException e) {
        release(); // it was never registered, or the loop is being shut down
      }
    }

    private void release() {
      open.decrementAndGet();
      OPEN.decrementAndGet();
    }
  }
}
