// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.source.EventSource;
import dev.coxswain.source.SourceRegistry;
import io.vertx.core.Future;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A registry that exists before its controller runs.
 *
 * <p>Thread rule: as {@link SourceRegistry}.
 */
final class DeferredSourceRegistry<K> implements SourceRegistry<K> {
  private final String controller;
  private volatile @Nullable SourceRegistry<K> running;

  DeferredSourceRegistry(String controller) {
    this.controller = controller;
  }

  void connect(SourceRegistry<K> to) {
    running = to;
  }

  @Override
  public <S extends EventSource<K>> Future<S> add(String name, Supplier<S> source) {
    if (name.isBlank() || name.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "the name of a source must not be blank, and not longer than %d characters: \"%s\""
              .formatted(MAX_NAME_LENGTH, name));
    }
    Objects.requireNonNull(source, "source");
    SourceRegistry<K> to = running;
    return to == null ? notRunning() : to.add(name, source);
  }

  @Override
  public Future<Boolean> remove(String name) {
    SourceRegistry<K> to = running;
    return to == null ? notRunning() : to.remove(name);
  }

  @Override
  public Set<String> names() {
    SourceRegistry<K> to = running;
    return to == null ? Set.of() : to.names();
  }

  private <T> Future<T> notRunning() {
    return Future.failedFuture(
        new IllegalStateException(
            "controller \"%s\" does not run yet: give it the sources of its start with watches(...)"
                .formatted(controller)));
  }
}
