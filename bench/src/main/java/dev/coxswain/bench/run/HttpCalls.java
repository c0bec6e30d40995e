// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/**
 * HTTP requests that block.
 *
 * <p>Thread rule: any thread, but no event loop.
 */
public final class HttpCalls {
  private HttpCalls() {}

  /** Sends a request; an interrupt is an {@link IOException}, and stays set. */
  public static <T> HttpResponse<T> send(
      HttpClient http, HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException {
    try {
      return http.send(request, handler);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
