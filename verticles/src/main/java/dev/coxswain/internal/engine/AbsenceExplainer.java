// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.loop.RecentEndings;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.source.Presence;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.Explanation.Reason;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.QueuedItem;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Explanations of requests that are not in the queue.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class AbsenceExplainer<K> {
  private static final String ENQUEUE =
      " It is reconciled on the next event; enqueue it to reconcile it now.";

  private final SourceGroup<K> sources;
  private final QueueReader<K> reader;
  private final ReconcileLoop<K> loop;
  private final Clock clock;
  private final Instant startedAt;

  AbsenceExplainer(
      SourceGroup<K> sources, QueueReader<K> reader, ReconcileLoop<K> loop, Clock clock) {
    this.sources = sources;
    this.reader = reader;
    this.loop = loop;
    this.clock = clock;
    this.startedAt = clock.instant();
  }

  /** Explains an item that failed terminally. */
  static Explanation terminal(QueuedItem item, List<String> blockers) {
    String attempts = item.failures() > 1 ? " after " + item.failures() + " failed attempts" : "";
    return new Explanation(
        Reason.TERMINAL,
        "Failed terminally at "
            + shown(item.since())
            + attempts
            + ". No retry is scheduled. Fix the cause, then change the object or retry the item.",
        item,
        0,
        0,
        null,
        item.since(),
        null,
        blockers);
  }

  /** Explains a request without an item. */
  Explanation explain(ItemId id, List<String> blockers) {
    Optional<K> key = reader.parse(id);
    if (key.isEmpty()) {
      return absent(
          Reason.UNKNOWN_NAME,
          "This controller has no request of this namespace and name. Check both.",
          blockers);
    }
    return explain(key.get(), blockers);
  }

  private Explanation explain(K key, List<String> blockers) {
    List<Presence> presences = sources.presences(key);
    boolean held = in(Presence.State.HELD, presences) != null;
    RecentEndings.Ending ending = loop.endings().find(key);
    if (ending != null) {
      List<String> conditions = new ArrayList<>(blockers);
      if (!held) {
        presences.forEach(one -> conditions.add(one.detail()));
      }
      return ended(ending, conditions);
    }
    if (loop.state() == State.SYNCING) {
      return absent(
          Reason.NOT_SYNCED,
          "Not queued yet. The sources have not delivered what existed at the start; wait for"
              + " them, or look at their problems.",
          blockers);
    }
    String since = "no attempt of it is recorded since " + shown(startedAt) + ".";
    if (held) {
      return absent(
          Reason.NOT_TRACKED,
          "Not queued. The cache holds the object, and " + since + ENQUEUE,
          blockers);
    }
    String leftOut = in(Presence.State.LEFT_OUT, presences);
    if (leftOut != null) {
      return absent(
          Reason.LEFT_OUT,
          "Not queued. " + leftOut + " Change the object, or what the controller watches.",
          blockers);
    }
    String absent = in(Presence.State.ABSENT, presences);
    if (absent != null) {
      return absent(
          Reason.NOT_IN_CACHE,
          "Not queued. "
              + absent
              + " Check namespace and name, that the object exists, and that its labels match.",
          blockers);
    }
    return absent(
        Reason.NOT_TRACKED,
        "Not queued, and " + since + " Check namespace and name." + ENQUEUE,
        blockers);
  }

  private Explanation ended(RecentEndings.Ending ending, List<String> conditions) {
    Instant at = clock.instant().plusNanos(ending.at() - clock.nanos());
    RecentEndings.Removal removal = ending.removal();
    Reason reason =
        removal == null ? Reason.SUCCEEDED : removal.flushed() ? Reason.FLUSHED : Reason.DROPPED;
    String by = removal == null || removal.by().isEmpty() ? null : removal.by();
    String how =
        switch (reason) {
          case SUCCEEDED -> "Reconciled successfully";
          case FLUSHED -> "Flushed";
          default -> "Dropped";
        };
    return new Explanation(
        reason,
        "Not queued. " + how + (by == null ? "" : " by " + by) + " at " + shown(at) + "." + ENQUEUE,
        null,
        0,
        0,
        null,
        at,
        by,
        conditions);
  }

  private static Explanation absent(Reason reason, String message, List<String> conditions) {
    return new Explanation(reason, message, null, 0, 0, null, conditions);
  }

  /** Returns the details of the sources with a state, or null when none has it. */
  private static @Nullable String in(Presence.State state, List<Presence> presences) {
    List<String> details =
        presences.stream().filter(one -> one.state() == state).map(Presence::detail).toList();
    return details.isEmpty() ? null : String.join(" ", details);
  }

  /** Returns a time with milliseconds. */
  static String shown(@Nullable Instant at) {
    return at == null ? "an unknown time" : at.truncatedTo(ChronoUnit.MILLIS).toString();
  }
}
