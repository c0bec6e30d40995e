// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import dev.coxswain.apiserver.internal.operation.ListQuery;
import dev.coxswain.apiserver.internal.status.ApiException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parameter {@code timeout} of a request: counted from its receipt, and no change is made after
 * it. Requests without one have the server's own.
 */
final class RequestTimeout {

  private static final long DEFAULT_NANOS = 60_000_000_000L;

  // A sequence of numbers with units, as Go prints and reads durations.
  private static final String NUMBER = "(\\d+(?:\\.\\d*)?|\\.\\d+)";
  private static final Pattern PART = Pattern.compile(NUMBER + "(ns|us|µs|ms|s|m|h)");
  private static final Pattern WHOLE = Pattern.compile("[+-]?(?:0|(?:" + PART + ")+)");

  private RequestTimeout() {}

  /** Refuses a request that has waited for longer than it may, or whose limit is malformed. */
  static void check(Exchange exchange) {
    if (ListQuery.flag(exchange.query("watch"))) {
      return; // runs for as long as its own parameter specifies
    }
    String text = exchange.query("timeout");
    long limit = DEFAULT_NANOS;
    if (text != null && !text.isEmpty()) {
      long wanted = nanos(text);
      limit = wanted > 0 ? Math.min(wanted, DEFAULT_NANOS) : DEFAULT_NANOS;
    }
    if (System.nanoTime() - exchange.receivedAt() >= limit) {
      throw ApiException.retryLater(
          504, "Timeout", "Timeout: request did not complete within the allotted timeout", 0, null);
    }
  }

  private static long nanos(String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw ApiException.badRequest(
          "invalid timeout specified in the request URL - time: invalid duration \"" + text + "\"");
    }
    double sum = 0;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      sum += Double.parseDouble(part.group(1)) * unit(part.group(2));
    }
    return (long) (text.startsWith("-") ? -sum : sum);
  }

  private static double unit(String name) {
    return switch (name) {
      case "ns" -> 1;
      case "us", "µs" -> 1e3;
      case "ms" -> 1e6;
      case "s" -> 1e9;
      case "m" -> 60e9;
      default -> 3600e9;
    };
  }
}
