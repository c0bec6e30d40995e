// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes one request, once: it follows no redirects, since the token is for one server alone, and
 * sends no change a second time. Calls block.
 */
interface Wire {

  /**
   * A request.
   *
   * @param address with its query
   * @param body what to send, or null for nothing
   * @param patience how long connecting may take
   * @param silence how long the server may say nothing
   */
  record Request(
      String method,
      URI address,
      Map<String, String> headers,
      @Nullable String body,
      Duration patience,
      Duration silence) {}

  /**
   * An answer, whatever its status.
   *
   * @param headers the first value of each, by its name in lower case
   * @param body to be read and closed
   */
  record Response(int status, Map<String, String> headers, InputStream body) {

    /** Returns the value of a header, or an empty text. */
    String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
  }

  /**
   * Returns the answer to a request.
   *
   * @throws java.net.ConnectException when nothing was sent
   * @throws java.net.SocketTimeoutException when the server is silent for too long
   * @throws IOException when there is no answer, and it is unknown what was done
   */
  Response send(Request request) throws IOException;
}
