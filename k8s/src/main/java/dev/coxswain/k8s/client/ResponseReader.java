// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.internal.AccessException;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import java.io.IOException;
import java.net.ProtocolException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Reads responses of an API server, or of a proxy in between: objects, and failures, which become an
 * {@link ApiStatusException} with the request and a hint.
 *
 * <p>Thread rule: any thread; reading a body blocks.
 */
final class ResponseReader {

  /** The longest body of a failure that is read, in bytes. */
  private static final int LONGEST_FAILURE = 1024 * 1024;

  private ResponseReader() {}

  /**
   * Returns the object, or the version of the server, in a successful response.
   *
   * @throws IOException when it is neither, too long, or cannot be read to its end
   * @throws JsonParseException when it is not JSON
   */
  static JsonObject object(Response response) throws IOException {
    if (parsed(response, ReceivedObject.LONGEST) instanceof JsonObject object
        && (object.has("kind") || object.has("gitVersion"))) {
      return object;
    }
    // From a proxy, perhaps. Whether a write was stored is unknown.
    throw new ProtocolException("neither an object nor the version of an API server");
  }

  private static JsonElement parsed(Response response, int longest) throws IOException {
    if (response.body().source().request(longest + 1L)) {
      throw new ProtocolException("the response is longer than " + longest + " bytes");
    }
    return JsonParser.parseString(response.body().string());
  }

  /** Returns the failure of an unsuccessful response; reads its body. */
  static ApiStatusException failure(Request request, Response response) {
    JsonObject status = new JsonObject();
    try {
      if (parsed(response, LONGEST_FAILURE) instanceof JsonObject object) {
        status = object;
      }
    } catch (JsonParseException | IllegalStateException | IOException e) {
      // A proxy in between sends HTML or nothing, so only the HTTP status is available.
      status.addProperty("message", "no readable status");
    }
    return ApiStatusException.of(
        response.code(),
        status,
        shown(request) + " answered",
        ErrorHints.on(
            request.method(),
            request.url().encodedPath(),
            request.url().queryParameter("watch") != null,
            response.code(),
            Json.text(status, "reason"),
            Json.text(status, "message")),
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

  /** Returns the failure of a request without a usable response. A write may have been carried out. */
  static ApiStatusException none(Request request, Throwable cause) {
    HttpUrl url = request.url();
    String what =
        cause instanceof AccessException
            ? " was not carried out: " + cause.getMessage()
            : " got no usable answer from %s:%d: ".formatted(url.host(), url.port())
                + message(cause)
                + ErrorHints.on(cause)
                + (request.method().equals("GET") ? "" : "; it may have been carried out");
    return new ApiStatusException(
        ApiStatusException.NO_ANSWER, "", shown(request) + what, null, cause);
  }

  /** Returns method and path, and the cluster if it is not that of the host. */
  private static String shown(Request request) {
    KubernetesOptions options = request.tag(KubernetesOptions.class);
    String cluster = options == null ? "" : options.cluster();
    return request.method()
        + " "
        + request.url().encodedPath()
        + (cluster.isEmpty() ? "" : " of cluster " + cluster);
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
