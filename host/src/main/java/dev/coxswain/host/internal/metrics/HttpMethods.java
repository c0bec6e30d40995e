// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import io.micrometer.core.instrument.Tag;
import io.vertx.core.spi.observability.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The values of the label {@code method}. A client may send any method, and requests are counted
 * before they are checked, so all unregistered methods share a value.
 *
 * <p>Thread rule: immutable.
 */
public final class HttpMethods {

  /** The label in the meters of Vert.x. */
  private static final String LABEL = "method";

  /** The value of all methods that are not registered. */
  static final String OTHER = "other";

  private static final Set<String> REGISTERED =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE");

  private static final Map<String, List<Tag>> TAGS =
      REGISTERED.stream()
          .collect(Collectors.toUnmodifiableMap(Function.identity(), HttpMethods::tag));

  private static final List<Tag> OTHER_TAGS = tag(OTHER);

  private HttpMethods() {}

  /** Returns the value of the label for a method. */
  static String label(String method) {
    return REGISTERED.contains(method) ? method : OTHER;
  }

  /** Returns the label of a request in the meters of Vert.x. */
  public static Iterable<Tag> tags(HttpRequest request) {
    return TAGS.getOrDefault(request.method().name(), OTHER_TAGS);
  }

  private static List<Tag> tag(String value) {
    return List.of(Tag.of(LABEL, value));
  }
}
