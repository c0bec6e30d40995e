// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import java.util.function.Function;

/**
 * A source that delivers at its start only.
 *
 * <p>Thread rule: as every source, on the event loop of its controller.
 */
public record StartSource<K>(String describe, Function<EventSink<K>, Future<Void>> delivery)
    implements EventSource<K> {
  @Override
  public Future<Void> start(EventSink<K> sink) {
    return delivery.apply(sink);
  }

  @Override
  public Future<Void> stop() {
    return Future.succeededFuture();
  }
}
