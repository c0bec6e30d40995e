// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonParseException;
import dev.coxswain.k8s.internal.json.ReceivedEvent;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import java.io.IOException;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * The events of one open watch.
 *
 * <p>Thread rule: {@link #next} on one thread that may block; {@link #close} on any.
 */
public final class WatchStream implements AutoCloseable {

  private final Call call;
  private final Response response;

  WatchStream(Call call, Response response) {
    this.call = call;
    this.response = response;
  }

  /**
   * Waits for the next event.
   *
   * @return the event, or null when the server has ended the watch
   * @throws ProtocolException when the received data is no event, or too long
   * @throws IOException when the connection broke or was idle for too long
   */
  public @Nullable ReceivedEvent next() throws IOException {
    BufferedSource source = response.body().source();
    while (!source.exhausted()) {
      long length = source.indexOf((byte) '\n', 0, ReceivedObject.LONGEST);
      if (length < 0 && source.request(ReceivedObject.LONGEST)) {
        throw new ProtocolException("the watch sent an event of more than 32 MiB");
      }
      byte[] line = length < 0 ? source.readByteArray() : source.readByteArray(length);
      if (length >= 0) {
        source.skip(1);
      }
      if (!isBlank(line)) {
        return parse(line);
      }
    }
    return null;
  }

  private static boolean isBlank(byte[] line) {
    for (byte each : line) {
      if (each > ' ') {
        return false;
      }
    }
    return true;
  }

  private static ReceivedEvent parse(byte[] line) throws ProtocolException {
    try {
      ReceivedEvent event = ReceivedEvent.of(line);
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
    response.body().source().timeout().deadline(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Removes the time limit. */
  public void unlimit() {
    response.body().source().timeout().clearDeadline();
  }

  /** Ends the watch; a waiting {@link #next} fails. */
  @Override
  public void close() {
    call.cancel();
    response.close();
  }
}
