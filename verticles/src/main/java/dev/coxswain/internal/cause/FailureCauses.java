// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.cause;

import dev.coxswain.spi.Clock;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The causes of the failures of one controller. A cause without failing items is kept for {@link
 * #KEPT}, a paused one for as long as it is; with too many causes the one that was seen longest ago goes first, and when all have
 * failing items, further ones are counted together as {@link FailurePattern#OTHER}.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class FailureCauses {
  /** The most causes that are kept: about a megabyte. */
  public static final int MAX = 1_000;

  /** The most causes whose stack trace is kept: half a megabyte with the longest ones. */
  public static final int MAX_STACKS = 64;

  /** For how long a cause is kept that nothing fails of any more. */
  public static final Duration KEPT = Duration.ofDays(1);

  private final Clock clock;

  /** The one that was used longest ago first. */
  private final LinkedHashMap<FailurePattern, FailureCause> causes =
      new LinkedHashMap<>(16, 0.75f, true);

  /** Those with a stack trace, the one that failed longest ago first. */
  private final LinkedHashSet<FailureCause> withStack = new LinkedHashSet<>();

  /** Created with the first failure that needs it. */
  private @Nullable FailureCause other;

  public FailureCauses(Clock clock) {
    this.clock = clock;
  }

  /** Returns the cause of failures, a new one without failures when it is not kept. */
  public FailureCause of(FailurePattern pattern) {
    FailureCause present = causes.get(pattern);
    if (present != null) {
      return present;
    }
    long now = clock.instant().toEpochMilli();
    if (pattern.equals(FailurePattern.OTHER) || (causes.size() >= MAX && !evicted())) {
      FailureCause rest = other;
      if (rest == null) {
        rest = new FailureCause(FailurePattern.OTHER, now);
        other = rest;
      }
      return rest;
    }
    FailureCause created = new FailureCause(pattern, now);
    causes.put(pattern, created);
    return created;
  }

  /** Returns the cause of failures that is kept in any case: there are few, as those that are paused. */
  public FailureCause keep(FailurePattern pattern) {
    return causes.computeIfAbsent(
        pattern, one -> new FailureCause(one, clock.instant().toEpochMilli()));
  }

  /** Removes the cause without items that was used longest ago; returns whether there was one. */
  private boolean evicted() {
    Iterator<FailureCause> oldest = causes.values().iterator();
    while (oldest.hasNext()) {
      FailureCause cause = oldest.next();
      if (cause.isIdle()) {
        oldest.remove();
        forgetStack(cause);
        return true;
      }
    }
    return false;
  }

  /**
   * Counts a failed attempt.
   *
   * @param object returns its object, with an empty name when that is not known; only called when a
   *     sample is wanted. One that is too long for an address is none
   */
  public void failed(FailureCause cause, Supplier<ItemId> object) {
    long now = clock.instant().toEpochMilli();
    if (cause.failed(now)) {
      ItemId sample = object.get();
      if (!sample.name().isEmpty() && sample.fits()) {
        cause.sample(sample, now);
      }
    }
    if (withStack.remove(cause)) {
      withStack.add(cause); // the youngest now
    }
  }

  /** Keeps the stack trace of a cause. */
  public void keepStack(FailureCause cause, String stack) {
    if (withStack.size() >= MAX_STACKS) {
      forgetStack(withStack.getFirst());
    }
    cause.stack(stack);
    withStack.add(cause);
  }

  /** Drops the stack trace of a cause, so that the next failure brings one. */
  void forgetStack(FailureCause cause) {
    cause.stack(null);
    withStack.remove(cause);
  }

  private static boolean isOver(FailureCause cause, long now) {
    return cause.isIdle() && now - cause.lastSeen() > KEPT.toMillis();
  }

  /** Returns the causes whose names are wanted, in no order. */
  public List<CauseSnapshot> snapshots(LongPredicate wanted) {
    long now = clock.instant().toEpochMilli();
    return kept(now)
        .filter(cause -> wanted.test(cause.number()))
        .map(cause -> cause.snapshot(now))
        .toList();
  }

  /** Returns the counts of all causes, in no order. */
  public List<CauseSnapshot.Count> counts() {
    return kept(clock.instant().toEpochMilli()).map(FailureCause::count).toList();
  }

  /** Returns all causes, without those that are over now. */
  private Stream<FailureCause> kept(long now) {
    causes
        .values()
        .removeIf(cause -> {
          boolean isOver = isOver(cause, now);
          if (isOver) {
            forgetStack(cause);
          }
          return isOver;
        });
    if (other != null && isOver(other, now)) {
      forgetStack(other);
      other = null;
    }
    return Stream.concat(causes.values().stream(), Stream.ofNullable(other));
  }
}
