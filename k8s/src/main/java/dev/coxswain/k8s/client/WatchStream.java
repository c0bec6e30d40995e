// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Response;
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
   * One event.
   *
   * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK} or {@code ERROR}
   * @param object the object, or the Status of an error
   */
  public record Event(String type, JsonObject object) {}

  /**
   * Waits for the next event.
   *
   * @return the event, or null when the server has ended the watch
   * @throws ProtocolException when the received data is no event
   * @throws IOException when the connection broke or was idle for too long
   */
  public @Nullable Event next() throws IOException {
    while (true) {
      String line = response.body().source().readUtf8Line();
      if (line == null) {
        return null;
      }
      if (!line.isBlank()) {
        return parse(line);
      }
    }
  }

  private static Event parse(String line) throws ProtocolException {
    try {
      JsonElement json = JsonParser.parseString(line);
      if (json instanceof JsonObject event
          && event.get("object") instanceof JsonObject object
          && !Json.text(event, "type").isEmpty()) {
        return new Event(Json.text(event, "type"), object);
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
