// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.ShardedSink;
import io.vertx.core.Future;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A source to which any code of this process can add requests. With a sharded controller each
 * replica accepts the requests of its own slots; the outcome of others names their owner, and it is
 * for the caller to bring them there.
 *
 * <p>Thread rule: {@link #offer} on any thread, it does not block; the rest as every source.
 *
 * @param <K> the type of the requests
 */
public final class ChannelSource<K> implements EventSource<K> {

  private final String name;

  private boolean started;

  // Set on the controller's event loop, read by callers of offer.
  private volatile @Nullable ShardedSink<K> sink;

  /**
   * Creates a channel.
   *
   * @param name its name, for display
   */
  public ChannelSource(String name) {
    this.name = name;
  }

  /** What came of an offered request. */
  public sealed interface Outcome {

    /** Returns whether the request is in the queue. */
    default boolean accepted() {
      return this instanceof Accepted;
    }

    /** It is in the queue. */
    record Accepted() implements Outcome {}

    /** So many requests are pending that the caller must slow down and offer it again. */
    record Busy() implements Outcome {}

    /** The controller does not run on this replica, or is stopping. */
    record NotRunning() implements Outcome {}

    /**
     * Another replica owns it.
     *
     * @param owner the name of that replica; empty while the request has no owner, or moves
     */
    record Foreign(Optional<String> owner) implements Outcome {}
  }

  /**
   * Adds {@code request}, unless another replica owns it.
   *
   * @return a future that completes with the outcome; it does not fail. When its handler runs on a
   *     thread without a Vert.x context it may be the event loop of the controller, which it must
   *     not block
   * @throws NullPointerException when the request is null
   */
  public Future<Outcome> offer(K request) {
    Objects.requireNonNull(request, "request");
    ShardedSink<K> open = sink;
    if (open == null) {
      return Future.succeededFuture(new Outcome.NotRunning());
    }
    if (open.pending() >= EventSink.PENDING_HIGH_WATER) {
      return Future.succeededFuture(new Outcome.Busy());
    }
    return open.offer(request).map(accepted -> outcome(accepted, request, open));
  }

  private Outcome outcome(boolean accepted, K request, ShardedSink<K> open) {
    if (accepted) {
      return new Outcome.Accepted();
    }
    // What is owned here was not accepted because the controller is stopping.
    return sink == null || open.owns(request)
        ? new Outcome.NotRunning()
        : new Outcome.Foreign(open.otherOwner(request));
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
    sink = ShardedSink.of(target);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> stop() {
    sink = null;
    return Future.succeededFuture();
  }
}
