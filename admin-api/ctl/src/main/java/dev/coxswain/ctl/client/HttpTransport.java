// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * Transport of a single HTTP request: follows no redirects, because the token is for one server,
 * and does not repeat changes. Calls block.
 *
 * <p>Uses {@link java.net.HttpURLConnection}, which loads in a tenth of the time of {@code
 * java.net.http} and has every method but PATCH.
 */
final class HttpTransport {

  private final Tls tls;

  /**
   * A request.
   *
   * @param address with its query
   * @param body the body, or null
   * @param patience the connect time-out
   * @param silence the read time-out
   */
  record Request(
      String method,
      URI address,
      Map<String, String> headers,
      @Nullable String body,
      Duration patience,
      Duration silence) {}

  /**
   * A response of any status.
   *
   * @param headers the first value of each header, by name in lower case
   * @param body to be read and closed
   */
  record Response(int status, Map<String, String> headers, InputStream body) {

    /** Returns the value of a header, or an empty text. */
    String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
  }

  HttpTransport(Tls tls) {
    this.tls = tls;
  }

  /**
   * Returns the response to a request.
   *
   * @throws java.net.ConnectException when nothing was sent
   * @throws java.net.SocketTimeoutException when a time-out elapses
   * @throws IOException when there is no response; a change may have been made
   */
  Response send(Request request) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) request.address().toURL().openConnection();
    if (connection instanceof HttpsURLConnection secure) {
      tls.apply(secure);
    }
    connection.setRequestMethod(request.method());
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setConnectTimeout(millis(request.patience()));
    connection.setReadTimeout(millis(request.silence()));
    request.headers().forEach(connection::setRequestProperty);
    String body = request.body();
    if (body != null) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      connection.setDoOutput(true);
      // The JDK does not resend a body of fixed length.
      connection.setFixedLengthStreamingMode(bytes.length);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(bytes);
      }
    }
    int status = connection.getResponseCode();
    return new Response(status, headers(connection), body(connection, status));
  }

  private static InputStream body(HttpURLConnection connection, int status) throws IOException {
    @Nullable InputStream body =
        status < HttpURLConnection.HTTP_BAD_REQUEST
            ? connection.getInputStream()
            : connection.getErrorStream();
    return body == null ? InputStream.nullInputStream() : body;
  }

  private static Map<String, String> headers(HttpURLConnection connection) {
    Map<String, String> headers = new HashMap<>();
    for (Map.Entry<@Nullable String, List<String>> header :
        connection.getHeaderFields().entrySet()) {
      String name = header.getKey();
      if (name != null) { // the status line has none
        headers.put(name.toLowerCase(Locale.ROOT), header.getValue().getFirst());
      }
    }
    return headers;
  }

  private static int millis(Duration time) {
    return Math.clamp(time.toMillis(), 1, Integer.MAX_VALUE);
  }
}
