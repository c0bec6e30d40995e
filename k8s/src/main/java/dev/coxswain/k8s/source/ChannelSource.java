// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A source to which any code can add requests.
 *
 * <p>Thread rule: {@link #offer} on any thread, it does not block; the rest as every source.
 *
 * @param <K> the type of the requests
 */
public final class ChannelSource<K> implements EventSource<K> {

  private final String name;

  private boolean started;

  // Set on the controller's event loop, read by callers of offer.
  private volatile @Nullable EventSink<K> sink;

  /**
   * Creates a channel.
   *
   * @param name its name, for display
   */
  public ChannelSource(String name) {
    this.name = name;
  }

  /**
   * Adds {@code request}.
   *
   * @return false when it was not accepted: the controller is not running, or has so many pending
   *     requests that the caller must slow down and retry
   * @throws NullPointerException when the request is null
   */
  public boolean offer(K request) {
    Objects.requireNonNull(request, "request");
    EventSink<K> open = sink;
    if (open == null || open.pending() >= EventSink.PENDING_HIGH_WATER) {
      return false;
    }
    open.add(request, EventSink.PRIORITY_NORMAL, Trigger.EVENT);
    return true;
  }

  @Override
  public String describe() {
    return "channel " + name;
  }

  @Override
  public Future<Void> start(EventSink<K> target) {
    if (started) {
      return Future.failedFuture(
          new IllegalStateException("the channel " + name + " has been started before"));
    }
    started = true;
    sink = target;
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> stop() {
    sink = null;
    return Future.succeededFuture();
  }
}
