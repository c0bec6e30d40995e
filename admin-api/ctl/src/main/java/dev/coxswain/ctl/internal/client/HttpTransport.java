// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import static java.util.Objects.requireNonNullElse;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
   * A response of any status.
   *
   * @param body to be read and closed
   */
  record Response(int status, HttpURLConnection connection, InputStream body) {

    /** Returns the value of a header, or an empty text. */
    String header(String name) {
      return requireNonNullElse(connection.getHeaderField(name), "");
    }
  }

  HttpTransport(Tls tls) {
    this.tls = tls;
  }

  /**
   * Returns the response to a request.
   *
   * @param connectTimeout the connect time-out
   * @param readTimeout the read time-out
   * @throws java.net.ConnectException when nothing was sent
   * @throws java.net.SocketTimeoutException when a time-out elapses
   * @throws IOException when there is no response; a change may have been made
   */
  Response send(
      String method,
      URI address,
      Map<String, String> headers,
      @Nullable String body,
      Duration connectTimeout,
      Duration readTimeout)
      throws IOException {
    HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
    if (connection instanceof HttpsURLConnection secure) {
      tls.apply(secure);
    }
    connection.setRequestMethod(method);
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setConnectTimeout(millis(connectTimeout));
    connection.setReadTimeout(millis(readTimeout));
    headers.forEach(connection::setRequestProperty);
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
    @Nullable InputStream received =
        status < HttpURLConnection.HTTP_BAD_REQUEST
            ? connection.getInputStream()
            : connection.getErrorStream();
    return new Response(
        status, connection, requireNonNullElse(received, InputStream.nullInputStream()));
  }

  private static int millis(Duration time) {
    return Math.clamp(time.toMillis(), 1, Integer.MAX_VALUE);
  }
}
