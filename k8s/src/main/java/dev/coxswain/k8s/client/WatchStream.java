// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonParseException;
import dev.coxswain.k8s.internal.json.ReceivedEvent;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import okhttp3.Call;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * The events of one open watch. They are read where they were received, so that one that is not
 * kept costs no copy.
 *
 * <p>Thread rule: {@link #next} on one thread that may block; {@link #close}
 * on any.
 */
public final class WatchStream implements AutoCloseable {

  /** Of the buffer, unless an event is longer: what the HTTP client hands out at once. */
  private static final int LENGTH = 8 * 1024;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final long LOWEST_BITS = 0x0101010101010101L;
  private static final long HIGHEST_BITS = LOWEST_BITS << 7;
  private static final long LINE_FEEDS = LOWEST_BITS * '\n';

  private final Call call;
  private final Response response;
  private final BufferedSource source;
  private final IdleLimit idle;

  /** Held while bytes are read: a response must not be closed meanwhile. */
  private final ReentrantLock reading = new ReentrantLock();

  private byte[] buffer = new byte[LENGTH];

  /** The first byte that no event has had. */
  private int from;

  /** The first byte that was not searched for the end of a line. */
  private int searched;

  /** Behind the last byte that was received. */
  private int to;

  /** Under the lock of reading. */
  private boolean closed;

  WatchStream(Call call, Response response, Duration idleLimit) {
    this.call = call;
    this.response = response;
    this.source = response.body().source();
    source.timeout().clearTimeout();
    this.idle = new IdleLimit(call, idleLimit);
  }

  /**
   * Waits for the next event.
   *
   * @return the event, or null when the server has ended the watch; its object can be read until
   *     the next call, and throws {@link JsonParseException} for what is wrong behind its metadata
   * @throws ProtocolException when the received data is no event, or too long
   * @throws SocketTimeoutException when the connection was idle for too long
   * @throws IOException when the connection broke
   */
  public @Nullable ReceivedEvent next() throws IOException {
    while (hasReceived() || receive()) {
      if (hasReceived()) {
        int begin = from;
        int end = searched;
        searched++;
        from = searched;
        if (!isBlank(begin, end)) {
          return parse(begin, end, true);
        }
      }
    }
    int begin = from;
    from = to;
    return isBlank(begin, to) ? null : parse(begin, to, false); // it may have been cut
  }

  /** Returns whether a whole line is there. */
  private boolean hasReceived() {
    searched = endOfLine(buffer, searched, to);
    return searched < to;
  }

  /**
   * Returns where a line ends, or {@code to}. Eight bytes at a time: one of them is a line feed when
   * a subtraction borrows from it (Anderson, Bit Twiddling Hacks, "Determine if a word has a zero
   * byte").
   */
  private static int endOfLine(byte[] bytes, int from, int to) {
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long differing = (long) WORD.get(bytes, at) ^ LINE_FEEDS;
      if ((differing - LOWEST_BITS & ~differing & HIGHEST_BITS) != 0) {
        break;
      }
    }
    while (at < to && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  /** Waits for more bytes; returns false at their end. */
  private boolean receive() throws IOException {
    makeRoom();
    idle.begin();
    reading.lock();
    try {
      if (closed) {
        throw new IOException("the watch was closed");
      }
      int read = source.read(buffer, to, buffer.length - to);
      to += Math.max(read, 0);
      if (read < 0) {
        idle.stop(); // also for a user that does not close it
      }
      return read >= 0;
    } catch (IOException e) {
      idle.stop();
      if (idle.isExceeded()) {
        SocketTimeoutException silent = new SocketTimeoutException("the watch was silent too long");
        silent.initCause(e);
        throw silent;
      }
      throw e;
    } finally {
      reading.unlock();
      idle.end();
    }
  }

  private void makeRoom() throws ProtocolException {
    if (from == to) {
      from = 0;
      searched = 0;
      to = 0;
      if (buffer.length > LENGTH) {
        buffer = new byte[LENGTH]; // a long event may have been the only one
      }
    }
    if (to < buffer.length) {
      return;
    }
    if (from > 0) {
      System.arraycopy(buffer, from, buffer, 0, to - from);
      searched -= from;
      to -= from;
      from = 0;
    } else if (to == ReceivedObject.LONGEST) {
      throw new ProtocolException("the watch sent an event of more than 32 MiB");
    } else {
      buffer = Arrays.copyOf(buffer, Math.min(2 * to, ReceivedObject.LONGEST));
    }
  }

  private boolean isBlank(int begin, int end) {
    for (int i = begin; i < end; i++) {
      if (buffer[i] > ' ') {
        return false;
      }
    }
    return true;
  }

  private ReceivedEvent parse(int begin, int end, boolean whole) throws ProtocolException {
    try {
      ReceivedEvent event =
          whole ? ReceivedEvent.ofLine(buffer, begin, end) : ReceivedEvent.of(buffer, begin, end);
      if (event != null) {
        return event;
      }
    } catch (JsonParseException e) {
      ProtocolException cut = new ProtocolException("the watch was cut inside an event");
      cut.initCause(e);
      throw cut;
    }
    throw new ProtocolException("the watch sent something that is not an event");
  }

  /**
   * Sets a time limit for {@link #next}, from now; after it, it throws {@link
   * java.io.InterruptedIOException}.
   */
  public void limit(Duration limit) {
    source.timeout().deadline(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Removes the time limit. */
  public void unlimit() {
    source.timeout().clearDeadline();
  }

  /** Ends the watch; a waiting {@link #next} fails. */
  @Override
  public void close() {
    idle.stop();
    call.cancel();
    reading.lock();
    try {
      closed = true;
      response.close();
    } finally {
      reading.unlock();
    }
  }
}
