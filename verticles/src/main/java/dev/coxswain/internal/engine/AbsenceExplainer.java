// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.loop.NamespaceScope;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.source.Presence;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.Explanation.Reason;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.PastAttempt;
import dev.coxswain.view.PastAttempt.Outcome;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Promise;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
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
  private final NamespaceScope<K> scope;
  private final QueueReader<K> reader;
  private final ReconcileLoop<K> loop;
  private final Instant startedAt;
  private final Predicate<Runnable> eventLoop;

  /**
   * @param eventLoop runs a task on the event loop; returns false when that has ended
   */
  AbsenceExplainer(
      SourceGroup<K> sources,
      NamespaceScope<K> scope,
      QueueReader<K> reader,
      ReconcileLoop<K> loop,
      Clock clock,
      Predicate<Runnable> eventLoop) {
    this.eventLoop = eventLoop;
    this.sources = sources;
    this.scope = scope;
    this.reader = reader;
    this.loop = loop;
    this.startedAt = clock.instant();
  }

  /** Explains an item that failed terminally. */
  static Explanation terminal(QueuedItem item, Blockers blockers) {
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
        blockers.texts(),
        List.of());
  }

  /**
   * Explains a request without an item. The object itself is read when its source, whose events have
   * not brought it, can do that.
   */
  void explain(ItemId id, Blockers blockers, Promise<Explanation> promise) {
    Optional<K> key = reader.parse(id);
    if (key.isEmpty()) {
      promise.complete(
          absent(
              Reason.UNKNOWN_NAME,
              "This controller has no request of this namespace and name. Check both.",
              blockers));
      return;
    }
    K request = key.get();
    String unwatched = scope.refusal(request);
    if (unwatched != null) {
      promise.complete(
          absent(Reason.LEFT_OUT, "Not queued. " + unwatched, blockers)
              .withAttempts(loop.history().of(request)));
      return;
    }
    List<Presence> presences = sources.presences(request);
    if (in(Presence.State.HELD, presences) != null
        || in(Presence.State.ABSENT, presences) == null
        || blockers.reason() == Reason.API_SERVER_UNREACHABLE) {
      promise.complete(explanation(request, presences, blockers));
      return;
    }
    sources
        .examine(request)
        .onComplete(examined -> {
          boolean runs =
              eventLoop.test(
                  () -> promise.tryComplete(explanation(request, examined.result(), blockers)));
          if (!runs) {
            promise.tryFail("the controller has ended");
          }
        });
  }

  private Explanation explanation(K key, List<Presence> presences, Blockers blockers) {
    List<PastAttempt> attempts = loop.history().of(key);
    PastAttempt last = attempts.isEmpty() ? null : attempts.getFirst();
    return explain(last, presences, blockers).withAttempts(attempts);
  }

  private Explanation explain(
      @Nullable PastAttempt ending, List<Presence> presences, Blockers blockers) {
    boolean held = in(Presence.State.HELD, presences) != null;
    String leftOut = in(Presence.State.LEFT_OUT, presences);
    String absent = in(Presence.State.ABSENT, presences);
    String loading = held ? null : in(Presence.State.LOADING, presences);
    if (ending != null && (ending.outcome().succeeded() || ending.outcome().removed())) {
      boolean deleted = !held && leftOut == null && loading == null && absent != null;
      presences.stream()
          .filter(one -> !held && !one.detail().isEmpty())
          .forEach(one -> blockers.alsoTrue(one.detail()));
      return ended(ending, deleted, held || absent == null, blockers);
    }
    if (loop.state() == State.SYNCING || loop.state() == State.NOT_SYNCED) {
      return absent(Reason.NOT_SYNCED, "Not queued yet.", blockers);
    }
    String since = ending == null ? noRecord() : notDone(ending);
    if (held) {
      return absent(
          Reason.NOT_TRACKED,
          "Not queued: nothing is to be done. The cache holds the object, and " + since + ENQUEUE,
          blockers);
    }
    if (loading != null) {
      return absent(Reason.LOADING, "Not queued yet. " + loading, blockers);
    }
    if (leftOut != null) {
      return absent(
          Reason.LEFT_OUT,
          "Not queued. " + leftOut + " Change the object, or what the controller watches.",
          blockers);
    }
    if (absent != null) {
      return absent(
          Reason.NOT_IN_CACHE, "Not queued. " + absent + " Check namespace and name.", blockers);
    }
    return absent(
        Reason.NOT_TRACKED,
        "Not queued, and " + since + " Check namespace and name." + ENQUEUE,
        blockers);
  }

  /** Returns how the last attempt ended of a request that was not done and is in the queue no more. */
  private static String notDone(PastAttempt last) {
    return "its last attempt "
        + (last.outcome().failed() ? "failed" : "ended without being done")
        + " at "
        + shown(last.endedAt())
        + ", and no retry is scheduled.";
  }

  /** Returns how far back the records reach that have no attempt of a request. */
  private String noRecord() {
    Long since = loop.history().completeAfter();
    return since == null
        ? "no attempt of it has ended since the start at " + shown(startedAt) + "."
        : "no attempt of it has ended since "
            + shown(Instant.ofEpochMilli(since))
            + "; the records reach no further back, since newer ones displaced them.";
  }

  private Explanation ended(
      PastAttempt ending, boolean deleted, boolean mayReturn, Blockers blockers) {
    Instant at = ending.endedAt();
    boolean flushed = ending.outcome() == Outcome.FLUSHED;
    boolean removed = ending.outcome().removed();
    String actor = ending.by() == null ? "" : ending.by();
    String given = ending.reason() == null ? "" : ending.reason();
    Reason reason =
        deleted
            ? Reason.DELETED
            : !removed ? Reason.SUCCEEDED : flushed ? Reason.FLUSHED : Reason.DROPPED;
    String by = actor.isEmpty() ? null : actor;
    String how = !removed ? "Reconciled successfully" : flushed ? "Flushed" : "Dropped";
    String why = given.isEmpty() ? "" : " (" + given + ")";
    String message =
        (deleted ? "The object was deleted. Last: " : "")
            + how
            + (by == null ? "" : " by " + by)
            + " at "
            + shown(at)
            + why
            + "."
            + (mayReturn && !deleted ? ENQUEUE : "");
    return new Explanation(
        blockers.or(reason),
        blockers.before("Not queued. " + message),
        null,
        0,
        0,
        null,
        at,
        by,
        blockers.texts(),
        List.of());
  }

  private static Explanation absent(Reason reason, String message, Blockers blockers) {
    return new Explanation(
        blockers.or(reason), blockers.before(message), null, 0, 0, null, blockers.texts());
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
