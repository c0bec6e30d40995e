// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal;

import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The call of a handler or predicate that has not returned.
 *
 * <p>Thread rule: {@link #begin} and {@link #end} on the thread that calls; {@link #lasting} on any.
 */
public final class RunningCall {
  /** A call that lasts longer than this is a problem. */
  public static final Duration LONG = Duration.ofSeconds(30);

  /** After this time a call is assumed never to return. */
  public static final Duration ENDLESS = Duration.ofMinutes(5);

  private final Clock clock;
  private volatile @Nullable Call call;

  private record Call(Request key, long since) {}

  public RunningCall(Clock clock) {
    this.clock = clock;
  }

  public void begin(Request key) {
    call = new Call(key, clock.nanos());
  }

  public void end() {
    call = null;
  }

  /** Returns the text of the problem of a call that has lasted for this time; empty for none. */
  public Optional<String> lasting(Duration limit) {
    Call now = call;
    Duration lasted = now == null ? Duration.ZERO : Duration.ofNanos(clock.nanos() - now.since);
    if (now == null || lasted.compareTo(limit) < 0) {
      return Optional.empty();
    }
    return Optional.of(
        "a handler or predicate has not returned for "
            + lasted.toSeconds()
            + " s, at "
            + now.key
            + "; no event is delivered meanwhile");
  }
}
