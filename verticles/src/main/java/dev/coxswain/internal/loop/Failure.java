// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.cause.FailurePatterns;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.RetryAfter;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a failure of a reconciler. They are read once, right after the attempt, because
 * the methods of an exception are user code and may throw.
 *
 * @param cause what was thrown
 * @param text for display, never null
 * @param pattern what it has in common with other failures of its cause
 * @param terminal whether no retry can cure it
 * @param panic whether it was an {@link Error}
 * @param lostOwnership whether this replica no longer owned the request
 * @param ownDelay its own delay
 */
public record Failure(
    Throwable cause,
    String text,
    FailurePattern pattern,
    boolean terminal,
    boolean panic,
    boolean lostOwnership,
    OwnDelay ownDelay) {

  /**
   * The delay of a failure.
   *
   * @param nanos the time to wait, 0 for none
   * @param replacesBackoff whether it holds instead of the backoff
   */
  public record OwnDelay(long nanos, boolean replacesBackoff) {
    static final OwnDelay NONE = new OwnDelay(0, false);

    static OwnDelay of(RetryAfter hint) {
      long nanos = Failure.nanos(hint.delay());
      return new OwnDelay(nanos, nanos > 0 && hint.replacesBackoff());
    }
  }

  /**
   * The maximum number of causes that are followed; an exception could return new ones endlessly.
   */
  private static final int MAX_CAUSES = 256;

  /** Reads the properties of a failure that belongs to no object. */
  public static Failure of(Throwable thrown) {
    return of(thrown, new ItemId("", ""));
  }

  /**
   * Reads the properties of a failure.
   *
   * @param object its object, for the pattern
   */
  public static Failure of(Throwable thrown, ItemId object) {
    boolean terminal = false;
    boolean lost = false;
    OwnDelay ownDelay = OwnDelay.NONE;
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> next = new ArrayDeque<>();
    next.add(thrown);
    while (!next.isEmpty() && seen.size() < MAX_CAUSES) {
      Throwable cause = next.remove();
      if (!seen.add(cause)) {
        continue; // a cycle
      }
      terminal |= cause instanceof TerminalException;
      lost |= cause instanceof LostOwnershipException;
      try {
        if (ownDelay.nanos == 0 && cause instanceof RetryAfter hint) {
          ownDelay = OwnDelay.of(hint);
        }
        addCauses(cause, next);
      } catch (Throwable e) {
        // The method threw: without a delay or a cause.
        UserFailures.clearInterrupt();
      }
    }
    return new Failure(
        thrown,
        ClassNames.describe(thrown),
        FailurePatterns.of(thrown, object),
        terminal,
        thrown instanceof Error,
        lost,
        ownDelay);
  }

  /** Suppressed exceptions count only where a wrapper of futures is involved. */
  private static void addCauses(Throwable of, Deque<Throwable> to) {
    for (Throwable suppressed : of.getSuppressed()) {
      if (isWrapper(of) || isWrapper(suppressed)) {
        to.add(suppressed);
      }
    }
    Throwable cause = of.getCause();
    if (cause != null) {
      to.addFirst(cause);
    }
  }

  private static boolean isWrapper(Throwable one) {
    return one instanceof CompletionException || one instanceof ExecutionException;
  }

  /** Returns the nanoseconds of a delay: none for null or a negative one, cut when too long. */
  static long nanos(@Nullable Duration delay) {
    return delay == null ? 0 : Math.max(0, Durations.toNanos(delay));
  }
}
