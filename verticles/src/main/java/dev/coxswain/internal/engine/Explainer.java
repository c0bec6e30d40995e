// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import static dev.coxswain.internal.engine.AbsenceExplainer.shown;

import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.internal.loop.NamespaceScope;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.source.Presence;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ControllerStatus.Pause;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.Explanation.Reason;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Promise;
import java.time.Instant;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Explanations of why a request is, or is not, being reconciled.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class Explainer<K> {

  /** The words of the API server. */
  private static final Pattern DENIED =
      Pattern.compile("admission webhook \"([^\"]{1,253})\" denied the request");

  private final WorkQueue<K> queue;
  private final QueueReader<K> reader;
  private final ReconcileLoop<K> loop;
  private final Clock clock;
  private final SourceGroup<K> sources;
  private final Conditions conditions;
  private final RetryBudget budget;
  private final ControllerOptions options;
  private final AbsenceExplainer<K> absence;

  Explainer(
      WorkQueue<K> queue,
      QueueReader<K> reader,
      ReconcileLoop<K> loop,
      Clock clock,
      SourceGroup<K> sources,
      NamespaceScope<K> scope,
      Conditions conditions,
      RetryBudget budget,
      ControllerOptions options,
      Predicate<Runnable> eventLoop) {
    this.queue = queue;
    this.reader = reader;
    this.loop = loop;
    this.clock = clock;
    this.sources = sources;
    this.conditions = conditions;
    this.budget = budget;
    this.options = options;
    this.absence = new AbsenceExplainer<>(sources, scope, reader, loop, clock, eventLoop);
  }

  /** Completes the promise with the explanation; later when the object is read for it. */
  void explain(ItemId id, @Nullable Pause pause, Promise<Explanation> promise) {
    Item<K> item = reader.find(id);
    Blockers blockers = blockers(pause);
    if (item == null) {
      absence.explain(id, blockers, promise);
    } else {
      promise.complete(explain(item, pause, blockers).withAttempts(loop.history().of(item.key())));
    }
  }

  private Explanation explain(Item<K> item, @Nullable Pause pause, Blockers blockers) {
    QueuedItem view = reader.view(item);
    if (view.phase() == Phase.IN_FLIGHT) {
      return inFlight(view, blockers);
    }
    sources.presences(item.key()).stream()
        .filter(one -> one.state() == Presence.State.LEFT_OUT)
        .forEach(one -> blockers.alsoTrue(one.detail() + " No further event of it arrives."));
    Pause ofCause = queue.pausedCauses().of(item);
    if (ofCause != null) {
      return held(item, view, ofCause, blockers);
    }
    return switch (view.phase()) {
      case TERMINAL -> AbsenceExplainer.terminal(view, blockers);
      case DELAYED -> delayed(item, view, startOf(view, blockers.reason(), pause), blockers);
      case WAITING_TOKEN -> waiting(item, view, blockers);
      case READY, IN_FLIGHT -> ready(item, view, blockers);
    };
  }

  /** Returns what keeps the whole controller from starting anything; what affects the replica first. */
  private Blockers blockers(@Nullable Pause pause) {
    Blockers blockers = new Blockers();
    for (Condition condition : conditions.all()) {
      switch (condition.type()) {
        case API_SERVER_UNREACHABLE ->
            blockers.add(Reason.API_SERVER_UNREACHABLE, condition.message());
        case REPLICA_SUSPENDED -> blockers.add(Reason.REPLICA_SUSPENDED, condition.message());
        case WORKERS_EXHAUSTED -> {} // below, also before it is raised
        default -> blockers.alsoTrue(condition.message());
      }
    }
    if (loop.state() == State.SYNCING || loop.state() == State.NOT_SYNCED) {
      blockers.add(
          Reason.NOT_SYNCED,
          "The sources have not delivered yet what existed at the start" + waitingSources() + ".");
    } else if (loop.state() != State.RUNNING) {
      blockers.add(Reason.STOPPING, "The controller is stopping.");
    }
    if (pause != null) {
      blockers.add(
          Reason.PAUSED,
          "The controller is paused%s%s (%s); nothing is started before it is resumed."
              .formatted(
                  pause.by().isEmpty() ? "" : " by " + pause.by(),
                  pause.until() == null ? "" : " until " + shown(pause.until()),
                  pause.reason()));
    }
    if (loop.exhausted()) {
      blockers.add(
          Reason.WORKERS_EXHAUSTED, "No worker is left: " + loop.workers().exhaustedText() + ".");
    }
    return blockers;
  }

  /** Returns the sources that have not synced, with their problems; empty for none. */
  private String waitingSources() {
    String waiting =
        sources.status().stream()
            .filter(source -> !source.synced())
            .map(source ->
                "\""
                    + source.description()
                    + "\""
                    + (source.problem() == null ? "" : ": " + source.problem()))
            .collect(Collectors.joining("; "));
    return waiting.isEmpty() ? "" : " (" + waiting + ")";
  }

  private static Explanation inFlight(QueuedItem view, Blockers blockers) {
    String message =
        view.overdue()
            ? "The attempt that began at %s ran into its time limit and has not ended; the next one"
                + " waits for that."
            : "Being reconciled since %s.";
    String again =
        view.dirty() ? " It was added again meanwhile and will run once more afterwards." : "";
    return new Explanation(
        view.overdue() ? Reason.OVERDUE : Reason.IN_FLIGHT,
        message.formatted(shown(view.since())) + again,
        view,
        0,
        0,
        view.overdue() ? null : view.since(),
        blockers.texts());
  }

  /** A retry whose cause is paused; the time of its own that it has kept may come first. */
  private static Explanation held(Item<?> item, QueuedItem view, Pause pause, Blockers blockers) {
    Instant until = pause.until();
    String message =
        "Failed %s time%s in a row of cause %s, which is paused%s%s (%s); it is not retried before that ends. A change of the object starts an attempt."
            .formatted(
                item.failures(),
                item.failures() == 1 ? "" : "s",
                view.cause(),
                pause.by().isEmpty() ? "" : " by " + pause.by(),
                until == null ? "" : " until " + shown(until),
                pause.reason());
    return explanation(
        Reason.CAUSE_PAUSED,
        message,
        view,
        0,
        0,
        blockers.reason() != null || until == null ? null : later(until, view.nextAttemptAt()),
        blockers);
  }

  /** The estimated start of a delayed item; null while a blocker has no fixed end. */
  private static @Nullable Instant startOf(
      QueuedItem view, @Nullable Reason blocked, @Nullable Pause pause) {
    Instant due = view.nextAttemptAt();
    if (blocked == null) {
      return due;
    }
    Instant end = blocked == Reason.PAUSED && pause != null ? pause.until() : null;
    return end == null || due == null ? end : later(end, due);
  }

  private static Instant later(Instant one, @Nullable Instant other) {
    return other == null || one.isAfter(other) ? one : other;
  }

  private Explanation delayed(
      Item<K> item, QueuedItem view, @Nullable Instant start, Blockers blockers) {
    boolean backoff = view.failing() && item.trigger() == Trigger.RETRY;
    String due = shown(view.nextAttemptAt());
    String message =
        backoff
            ? "Failed %s time%s; the next attempt is due at %s%s."
                .formatted(
                    view.failures(),
                    view.failures() == 1 ? "" : "s in a row",
                    due,
                    options.composition() == Composition.ADMISSION
                        ? " and then takes a token of limiter \"" + options.budget() + "\""
                        : "")
            : "Delayed by request (" + describe(item) + ") until " + due + ".";
    String webhook = backoff ? deniedBy(view.lastError()) : null;
    if (webhook != null) {
      return explanation(
          Reason.WRITE_DENIED,
          "Admission webhook \"%s\" denied a write of the last attempt; its rules or the object must change. "
                  .formatted(webhook)
              + message,
          view,
          0,
          0,
          start,
          blockers);
    }
    Reason reason = backoff ? Reason.BACKOFF : Reason.SCHEDULED;
    return explanation(reason, message, view, 0, 0, start, blockers);
  }

  /** Returns the admission webhook that denied a request, by the words of the API server; or null. */
  private static @Nullable String deniedBy(@Nullable String error) {
    Matcher found = DENIED.matcher(error == null ? "" : error);
    return found.find() ? found.group(1) : null;
  }

  /** Orders the blockers of the whole controller first. */
  private static Explanation explanation(
      Reason reason,
      String message,
      QueuedItem view,
      int position,
      int of,
      @Nullable Instant start,
      Blockers blockers) {
    return new Explanation(
        blockers.or(reason), blockers.before(message), view, position, of, start, blockers.texts());
  }

  private static String describe(Item<?> item) {
    return switch (item.trigger()) {
      case REQUEUE_AFTER -> "requested by the last attempt";
      case OPERATOR -> "requested by an operator";
      case ACQUIRED -> "its slot came to this replica";
      case RETRY -> "requeued by the last attempt";
      case EVENT, INITIAL_LIST, RESYNC -> "requested by its source";
    };
  }

  private Explanation waiting(Item<K> item, QueuedItem view, Blockers blockers) {
    int position = reader.positionOf(item) + 1;
    int of = queue.size(Phase.WAITING_TOKEN);
    Instant expected =
        blockers.reason() != null
            ? null
            : clock.instant().plusNanos(reader.estimateTokenNanos(position));
    BudgetSnapshot limiter = budget.snapshot();
    Instant end = limiter.overrideUntil();
    String override =
        end == null
            ? ""
            : " (%s a second by an override that ends at %s)".formatted(limiter.rate(), shown(end));
    if (limiter.degraded() != null) {
      blockers.alsoTrue("Limiter \"" + options.budget() + "\": " + limiter.degraded());
    }
    String message =
        "Its backoff is over; it waits for a token of limiter \"%s\"%s as number %s of %s%s."
            .formatted(
                options.budget(),
                override,
                position,
                of,
                expected == null ? "" : ", expected at " + shown(expected));
    return explanation(Reason.WAITING_TOKEN, message, view, position, of, expected, blockers);
  }

  private Explanation ready(Item<K> item, QueuedItem view, Blockers blockers) {
    int position = reader.positionOf(item) + 1;
    int of = queue.size(Phase.READY);
    boolean busy = loop.workers().free() <= 0;
    String workers =
        !busy
            ? ""
            : ", but %s busy%s"
                .formatted(
                    loop.workers().concurrency() == 1
                        ? "the only worker is"
                        : "all " + loop.workers().concurrency() + " workers are",
                    loop.workers().resting() > 0 ? " or pausing after a failure" : "");
    return explanation(
        busy ? Reason.WORKERS_BUSY : Reason.READY,
        "Ready%s; number %s of %s.".formatted(workers, position, of),
        view,
        position,
        of,
        null,
        blockers);
  }
}
