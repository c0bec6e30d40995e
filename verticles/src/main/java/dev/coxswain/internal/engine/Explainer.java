// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import static dev.coxswain.internal.engine.AbsenceExplainer.shown;

import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Composition;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ControllerStatus.Pause;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.Explanation.Reason;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explanations of why a request is, or is not, being reconciled.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class Explainer<K> {
  private final WorkQueue<K> queue;
  private final QueueReader<K> reader;
  private final ReconcileLoop<K> loop;
  private final Clock clock;
  private final ControllerOptions options;
  private final AbsenceExplainer<K> absence;

  Explainer(
      WorkQueue<K> queue,
      QueueReader<K> reader,
      ReconcileLoop<K> loop,
      Clock clock,
      SourceGroup<K> sources,
      ControllerOptions options) {
    this.queue = queue;
    this.reader = reader;
    this.loop = loop;
    this.clock = clock;
    this.options = options;
    this.absence = new AbsenceExplainer<>(sources, reader, loop, clock);
  }

  Explanation explain(ItemId id, @Nullable Pause pause) {
    Item<K> item = reader.find(id);
    List<String> blockers = new ArrayList<>();
    Reason blocked = blocked(pause, blockers);
    if (item == null) {
      return absence.explain(id, blockers);
    }
    QueuedItem view = reader.view(item);
    return switch (view.phase()) {
      case TERMINAL -> AbsenceExplainer.terminal(view, blockers);
      case IN_FLIGHT -> inFlight(view);
      case DELAYED -> delayed(item, view, blocked, startOf(view, blocked, pause), blockers);
      case WAITING_TOKEN -> waiting(item, view, blocked, blockers);
      case READY -> ready(item, view, blocked, blockers);
    };
  }

  private @Nullable Reason blocked(@Nullable Pause pause, List<String> blockers) {
    Reason reason = null;
    if (loop.state() == State.SYNCING) {
      reason = Reason.NOT_SYNCED;
      blockers.add("The sources have not delivered yet what existed at the start.");
    } else if (loop.state() != State.RUNNING) {
      reason = Reason.STOPPING;
      blockers.add("The controller is stopping.");
    }
    if (pause != null) {
      reason = reason == null ? Reason.PAUSED : reason;
      blockers.add(
          "The controller is paused%s (%s); nothing is started before it is resumed."
              .formatted(
                  pause.until() == null ? "" : " until " + shown(pause.until()), pause.reason()));
    }
    if (loop.exhausted()) {
      reason = reason == null ? Reason.WORKERS_EXHAUSTED : reason;
      blockers.add("No worker is left: " + loop.workers().exhaustedText() + ".");
    }
    return reason;
  }

  private static Explanation inFlight(QueuedItem view) {
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
        List.of());
  }

  /** The estimated start of a delayed item; null while a blocker has no fixed end. */
  private static @Nullable Instant startOf(
      QueuedItem view, @Nullable Reason blocked, @Nullable Pause pause) {
    Instant due = view.nextAttemptAt();
    if (blocked == null) {
      return due;
    }
    Instant end = blocked == Reason.PAUSED && pause != null ? pause.until() : null;
    return end == null || due == null || end.isAfter(due) ? end : due;
  }

  private Explanation delayed(
      Item<K> item,
      QueuedItem view,
      @Nullable Reason blocked,
      @Nullable Instant start,
      List<String> blockers) {
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
    Reason reason = backoff ? Reason.BACKOFF : Reason.SCHEDULED;
    return explanation(reason, message, view, 0, 0, blocked, start, blockers);
  }

  /** Orders the blockers of the whole controller first. */
  private static Explanation explanation(
      Reason reason,
      String message,
      QueuedItem view,
      int position,
      int of,
      @Nullable Reason blocked,
      @Nullable Instant start,
      List<String> blockers) {
    return new Explanation(
        blocked == null ? reason : blocked,
        blocked == null ? message : String.join(" ", blockers) + " " + message,
        view,
        position,
        of,
        start,
        blockers);
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

  private Explanation waiting(
      Item<K> item, QueuedItem view, @Nullable Reason blocked, List<String> blockers) {
    int position = reader.positionOf(item) + 1;
    int of = queue.size(Phase.WAITING_TOKEN);
    Instant expected =
        blocked != null ? null : clock.instant().plusNanos(reader.estimateTokenNanos(position));
    String message =
        "Its backoff is over; it waits for a token of limiter \"%s\" as number %s of %s%s."
            .formatted(
                options.budget(),
                position,
                of,
                expected == null ? "" : ", expected at " + shown(expected));
    return explanation(
        Reason.WAITING_TOKEN, message, view, position, of, blocked, expected, blockers);
  }

  private Explanation ready(
      Item<K> item, QueuedItem view, @Nullable Reason blocked, List<String> blockers) {
    int position = reader.positionOf(item) + 1;
    int of = queue.size(Phase.READY);
    boolean busy = loop.workers().free() <= 0;
    String workers =
        !busy
            ? ""
            : ", but all %s workers are busy%s"
                .formatted(
                    loop.workers().concurrency(),
                    loop.workers().resting() > 0 ? " or pause after a failure" : "");
    return explanation(
        busy ? Reason.WORKERS_BUSY : Reason.READY,
        "Ready%s; number %s of %s.".formatted(workers, position, of),
        view,
        position,
        of,
        blocked,
        null,
        blockers);
  }
}
