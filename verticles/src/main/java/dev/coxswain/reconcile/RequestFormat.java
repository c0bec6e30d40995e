// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.util.Optional;
import java.util.function.Function;

/**
 * The text form of requests of one type, and its inverse.
 *
 * <p>Thread rule: any thread; implementations are stateless.
 *
 * @param <K> the type of the requests, any immutable value type with equality
 */
public interface RequestFormat<K> {

  /** Returns the namespace that {@code request} belongs to, empty for none. */
  String namespace(K request);

  /** Returns the name of {@code request} inside its namespace. */
  String name(K request);

  /**
   * Returns the request with this namespace and name, the inverse of the other two methods, or
   * empty when text cannot be turned into such a request.
   */
  Optional<K> parse(String namespace, String name);

  /**
   * Returns why no object can have this namespace and name, as the end of a sentence that begins
   * with "the name"; empty when one can, the default.
   */
  default Optional<String> impossible(String namespace, String name) {
    return Optional.empty();
  }

  /** Returns the format of {@link Request}. */
  static RequestFormat<Request> ofRequest() {
    return NamespacedFormat.INSTANCE;
  }

  /**
   * Returns a format for requests without a namespace.
   *
   * @param toText returns the text of a request
   * @param fromText finds the request for a text; may throw {@link IllegalArgumentException}
   */
  static <K> RequestFormat<K> of(Function<K, String> toText, Function<String, K> fromText) {
    return new TextFormat<>(toText, fromText);
  }
}
