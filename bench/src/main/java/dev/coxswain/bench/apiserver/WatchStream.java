// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A watch that takes its chunked answer apart and counts the events; confined to the thread of the
 * load generator.
 */
final class WatchStream implements AutoCloseable {
  private enum State {
    HEAD,
    SIZE,
    DATA,
    DATA_END
  }

  /** One for all streams: what is read is used up at once, except for the head. */
  private final byte[] data;

  private final ByteBuffer in;

  private final SocketChannel channel;
  private State state = State.HEAD;
  private int matched;
  private int chunk;
  private long events;
  private long bytes;

  /** Asks for a watch of all ConfigMaps from now on. */
  WatchStream(InetSocketAddress address, Selector selector, byte[] shared) throws IOException {
    data = shared;
    in = ByteBuffer.wrap(shared);
    channel = SocketChannel.open(address);
    byte[] request = Wire.request("GET", "/api/v1/configmaps?watch=1", "", new byte[0]);
    ByteBuffer out = ByteBuffer.wrap(request);
    while (out.hasRemaining()) {
      channel.write(out);
    }
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, this);
  }

  /** Whether the answer has begun, so that no later event is missed. */
  boolean open() {
    return state != State.HEAD;
  }

  /** Events received so far. */
  long events() {
    return events;
  }

  /** Bytes of events received so far. */
  long bytes() {
    return bytes;
  }

  /** Forgets what was counted. */
  void reset() {
    events = 0;
    bytes = 0;
  }

  /** Takes what has arrived. */
  void read() throws IOException {
    in.clear();
    if (channel.read(in) < 0) {
      throw new IOException("the server ended a watch after " + events + " events");
    }
    int end = in.position();
    int at = 0;
    while (at < end) {
      if (state == State.DATA) {
        int length = Math.min(chunk, end - at);
        events += lines(at, at + length);
        bytes += length;
        at += length;
        chunk -= length;
        if (chunk == 0) {
          state = State.DATA_END;
        }
      } else {
        framing(data[at++]);
      }
    }
  }

  private void framing(byte next) throws IOException {
    switch (state) {
      case HEAD -> {
        boolean expected = next == (matched % 2 == 0 ? '\r' : '\n');
        matched = expected ? matched + 1 : next == '\r' ? 1 : 0;
        if (matched == 4) {
          state = State.SIZE;
        }
      }
      case SIZE -> {
        int digit = Character.digit(next, 16);
        if (digit >= 0) {
          chunk = chunk * 16 + digit;
        } else if (next == '\n') {
          if (chunk == 0) {
            throw new IOException("the server ended a watch after " + events + " events");
          }
          state = State.DATA;
        }
      }
      case DATA_END -> {
        if (next == '\n') {
          state = State.SIZE;
        }
      }
      case DATA -> throw new IllegalStateException("data is not framing");
    }
  }

  private int lines(int from, int to) {
    int lines = 0;
    for (int i = from; i < to; i++) {
      if (data[i] == '\n') {
        lines++;
      }
    }
    return lines;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
