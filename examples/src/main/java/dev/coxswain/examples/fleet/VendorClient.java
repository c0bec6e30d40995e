// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.reconcile.RetryAfterException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Calls of the vendor's API.
 *
 * <p>Thread rule: any thread that may block.
 */
final class VendorClient {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;
  private static final int NOT_FOUND = 404;
  private static final int FIRST_FAILURE = 400;
  private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final Supplier<URI> address;

  VendorClient(Supplier<URI> address) {
    this.address = address;
  }

  /** Creates a machine, or brings it to a version. */
  void bring(String machine, String version)
      throws IOException, InterruptedException, RetryAfterException {
    check(send(machine, "PUT", BodyPublishers.ofString(version)));
  }

  /** Removes a machine, if there is one. */
  void remove(String machine) throws IOException, InterruptedException, RetryAfterException {
    HttpResponse<String> response = send(machine, "DELETE", BodyPublishers.noBody());
    if (response.statusCode() != NOT_FOUND) {
      check(response);
    }
  }

  private HttpResponse<String> send(String machine, String method, HttpRequest.BodyPublisher body)
      throws IOException, InterruptedException {
    // Not resolve(): it would drop the path of an address like https://example.com/vendor.
    String base = address.get().toString().replaceFirst("/+$", "");
    return http.send(
        HttpRequest.newBuilder(URI.create(base + "/machines/" + machine))
            .timeout(TIMEOUT)
            .method(method, body)
            .build(),
        BodyHandlers.ofString());
  }

  private static void check(HttpResponse<String> response) throws IOException, RetryAfterException {
    int status = response.statusCode();
    if (status < FIRST_FAILURE) {
      return;
    }
    String message = "the vendor answered " + status + ": " + response.body();
    Optional<Duration> delay =
        response.headers().firstValue("Retry-After").flatMap(value -> delay(value, Instant.now()));
    if ((status == TOO_MANY_REQUESTS || status == UNAVAILABLE) && delay.isPresent()) {
      throw new RetryAfterException(delay.get(), message);
    }
    throw new IOException(message);
  }

  /** Returns the delay of a {@code Retry-After}, which has seconds or a date; empty for anything else. */
  static Optional<Duration> delay(String retryAfter, Instant now) {
    String value = retryAfter.strip();
    try {
      if (SECONDS.matcher(value).matches()) {
        return Optional.of(Duration.ofSeconds(Long.parseLong(value)));
      }
      Instant date = DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from);
      return Optional.of(date.isAfter(now) ? Duration.between(now, date) : Duration.ZERO);
    } catch (DateTimeParseException e) {
      return Optional.empty(); // retried after the backoff
    }
  }
}
