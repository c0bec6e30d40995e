// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A connection that sends one request after the other, each when the last has been answered;
 * confined to the thread of the load generator.
 */
final class WriterConnection implements AutoCloseable {
  private static final int LARGEST_ANSWER = 64 * 1024;

  private final SocketChannel channel;
  private final SelectionKey key;
  private final ByteBuffer in = ByteBuffer.allocate(LARGEST_ANSWER);
  private ByteBuffer out = ByteBuffer.allocate(0);
  private int head = -1;
  private int length;
  private long sent;

  WriterConnection(InetSocketAddress address, Selector selector) throws IOException {
    channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    key = channel.register(selector, SelectionKey.OP_READ, this);
  }

  /** Sends a request. */
  void send(byte[] request) throws IOException {
    sent = System.nanoTime();
    out = ByteBuffer.wrap(request);
    in.clear();
    head = -1;
    flush();
  }

  /** Sends what the socket did not take the last time. */
  void flush() throws IOException {
    channel.write(out);
    key.interestOps(
        out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
  }

  /**
   * Takes what has arrived.
   *
   * @return nanoseconds from request to answer, -1 = the answer is not complete yet
   * @throws IOException when the answer is no success
   */
  long read(int expected) throws IOException {
    if (channel.read(in) < 0) {
      throw new IOException("the server closed a connection");
    }
    in.flip();
    if (head < 0) {
      head = Wire.head(in);
      length = head < 0 ? 0 : Wire.contentLength(in, head);
    }
    boolean complete = head >= 0 && in.limit() >= head + length;
    if (complete && Wire.status(in) != expected) {
      throw new IOException(
          "a write was answered with "
              + new String(in.array(), 0, in.limit(), StandardCharsets.UTF_8));
    }
    in.position(in.limit()).limit(in.capacity());
    return complete ? System.nanoTime() - sent : -1;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
