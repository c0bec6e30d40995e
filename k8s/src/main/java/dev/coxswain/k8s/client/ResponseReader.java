// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import dev.coxswain.k8s.internal.UserCode;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.Consumer;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;

/**
 * Reads responses of an API server, or of a proxy in between: pages of a list, and failures, which
 * become an {@link ApiStatusException} with the request and a hint.
 *
 * <p>Thread rule: any thread; reading a body blocks.
 */
final class ResponseReader {

  /** A body that is shorter is read as a whole. */
  private static final int SHORT = 16 * 1024;

  private ResponseReader() {}

  /**
   * Returns the text of a body. A short one is decoded at once: a decoder that is fed by and by costs
   * several times as much, above all in a process that reads little and has compiled none of it.
   */
  static Reader text(ResponseBody body) throws IOException {
    return body.source().request(SHORT) ? body.charStream() : new StringReader(body.string());
  }

  /**
   * Reads a page, one object at a time.
   *
   * @param body the page
   * @param item receives each object while the rest has not been read yet
   * @throws IOException when it cannot be read to its end
   * @throws JsonParseException when it is not JSON
   * @throws IllegalStateException when it is not a list
   */
  static ListMetadata page(Reader body, Consumer<JsonElement> item) throws IOException {
    ListMetadata meta = new ListMetadata("", "");
    JsonReader in = new JsonReader(body);
    in.beginObject();
    while (in.hasNext()) {
      switch (in.nextName()) {
        case "metadata" -> {
          JsonElement json = JsonParser.parseReader(in);
          meta = new ListMetadata(Json.text(json, "resourceVersion"), Json.text(json, "continue"));
        }
        case "items" -> {
          if (in.peek() == JsonToken.NULL) {
            in.nextNull();
          } else {
            in.beginArray();
            while (in.hasNext()) {
              item.accept(JsonParser.parseReader(in));
            }
            in.endArray();
          }
        }
        default -> in.skipValue();
      }
    }
    in.endObject();
    return meta;
  }

  /** Returns the failure of an unsuccessful response; reads its body. */
  static ApiStatusException failure(Request request, Response response) {
    JsonObject status = new JsonObject();
    try {
      if (JsonParser.parseReader(response.body().charStream()) instanceof JsonObject object) {
        status = object;
      }
    } catch (JsonParseException | IllegalStateException e) {
      // A proxy in between sends HTML or nothing, so only the HTTP status is available.
      status.addProperty("message", "no readable status");
    }
    return ApiStatusException.of(
        response.code(),
        status,
        request.method() + " " + request.url().encodedPath() + " answered",
        ErrorHints.on(
            request.method(),
            request.url().encodedPath(),
            request.url().queryParameter("watch") != null,
            response.code(),
            Json.text(status, "reason")),
        retryAfter(response.header("Retry-After"), Instant.now()));
  }

  /** Parses both forms of the header, seconds and a date; null when there is none. */
  static @Nullable Duration retryAfter(@Nullable String header, Instant now) {
    if (header == null) {
      return null;
    }
    String value = header.strip();
    if (value.matches("\\d{1,9}")) {
      return Duration.ofSeconds(Long.parseLong(value));
    }
    try {
      Instant date = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return date.isAfter(now) ? Duration.between(now, date) : Duration.ZERO;
    } catch (DateTimeException e) {
      // An unreadable header is ignored.
      return null;
    }
  }

  /** Returns the failure of a request without a usable response. */
  static ApiStatusException none(Request request, Throwable cause) {
    return new ApiStatusException(
        ApiStatusException.NO_ANSWER,
        "",
        request.method()
            + " "
            + request.url().encodedPath()
            + " got no usable answer from "
            + request.url().host()
            + ":"
            + request.url().port()
            + ": "
            + message(cause)
            + ErrorHints.on(cause),
        null,
        cause);
  }

  /** Returns the message, or the class of an exception whose message is missing or throws. */
  private static String message(Throwable cause) {
    try {
      @Nullable String message = cause.getMessage();
      return message == null ? UserCode.text(cause) : message;
    } catch (Throwable e) {
      return UserCode.text(cause); // interceptors throw anything
    }
  }
}
