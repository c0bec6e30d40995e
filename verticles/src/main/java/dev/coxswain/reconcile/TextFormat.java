// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** A format for requests that have a text but no namespace. */
record TextFormat<K>(Function<K, String> toText, Function<String, K> fromText)
    implements RequestFormat<K> {

  TextFormat {
    Objects.requireNonNull(toText, "toText");
    Objects.requireNonNull(fromText, "fromText");
  }

  @Override
  public String namespace(K request) {
    return "";
  }

  @Override
  public String name(K request) {
    return toText.apply(request);
  }

  @Override
  public Optional<K> parse(String namespace, String name) {
    if (!namespace.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(fromText.apply(name));
    } catch (IllegalArgumentException e) {
      // The contract is empty for text that is no request; the caller reports it as not found.
      return Optional.empty();
    }
  }
}
