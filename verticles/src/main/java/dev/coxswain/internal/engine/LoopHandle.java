// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.ActionResult;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRun;
import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.internal.history.HistoryEntry;
import dev.coxswain.internal.loop.Drain;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.internal.loop.Gauges;
import dev.coxswain.internal.loop.Inbox;
import dev.coxswain.internal.loop.NamespaceScope;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.ControllerStatus.Pause;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.LoopOccupant;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueueSnapshot;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The handle of a running controller: every read and command passes through its inbox. */
final class LoopHandle<K> implements ControllerHandle {
  private final Controller<K> controller;
  private final WorkQueue<K> queue;
  private final QueueReader<K> reader;
  private final ReconcileLoop<K> loop;
  private final Explainer<K> explainer;
  private final SourceGroup<K> sources;
  private final NamespaceScope<K> scope;
  private final SyncLimit syncLimit;
  private final Gauges gauges;
  private final Conditions conditions;
  private final Clock clock;
  private final Executor yielding;
  private final BulkActions<K> bulks;
  private final Instant startedAt;

  /** Written on the event loop, read on any thread. */
  private volatile @Nullable Pause pause;

  private @Nullable Future<DrainReport> drained;

  LoopHandle(
      Controller<K> controller,
      WorkQueue<K> queue,
      QueueReader<K> reader,
      ReconcileLoop<K> loop,
      SourceGroup<K> sources,
      NamespaceScope<K> scope,
      SyncLimit syncLimit,
      Gauges gauges,
      Conditions conditions,
      RetryBudget budget,
      Clock clock,
      EngineThreads threads) {
    this.controller = controller;
    this.queue = queue;
    this.reader = reader;
    this.loop = loop;
    this.sources = sources;
    this.scope = scope;
    this.syncLimit = syncLimit;
    this.gauges = gauges;
    this.conditions = conditions;
    this.clock = clock;
    this.yielding = loop.yielding();
    this.bulks = new BulkActions<>(sources, queue, reader, loop, clock, threads);
    this.explainer =
        new Explainer<>(
            queue,
            reader,
            loop,
            clock,
            sources,
            scope,
            conditions,
            budget,
            controller.options(),
            this::execute);
    this.startedAt = clock.instant();
  }

  @Override
  public String name() {
    return controller.name();
  }

  @Override
  public ControllerOptions options() {
    return controller.options();
  }

  @Override
  public Set<String> watchNamespaces() {
    return scope.names();
  }

  @Override
  public ControllerStatus status() {
    conditions.set(ConditionType.SOURCE_FAILED, sources.failure());
    boolean late = syncLimit.isPassed();
    Gauges.Turn turn = gauges.latest();
    return new ControllerStatus(
        late && turn.state() == State.SYNCING ? State.NOT_SYNCED : turn.state(),
        turn.concurrency(),
        turn.active(),
        sources.status(),
        pause,
        queue.pausedCauses().all(),
        startedAt,
        turn.ended(),
        conditions.all());
  }

  @Override
  public Optional<LoopOccupant> occupant() {
    return Optional.of(loop.occupant());
  }

  @Override
  public QueueSnapshot snapshot() {
    return gauges.snapshot();
  }

  // ---- reads ----

  @Override
  public boolean selects(String labelSelector) {
    return sources.selecting(labelSelector).isPresent();
  }

  @Override
  public Future<ItemPage> list(ItemFilter filter, ItemPage.@Nullable Cursor cursor, int limit) {
    if (limit < 1 || limit > MAX_PAGE) {
      return Future.failedFuture(
          new IllegalArgumentException("limit must be from 1 to " + MAX_PAGE + ": " + limit));
    }
    // Concurrent walks begin one after the other.
    return submit(
        promise -> new PageWalk<>(reader.walk(filter, cursor, limit), yielding, promise).start());
  }

  @Override
  public Future<Optional<QueuedItem>> item(ItemId id) {
    return submit(promise -> promise.complete(Optional.ofNullable(view(reader.find(id)))));
  }

  @Override
  public Future<List<CauseSnapshot>> causes(LongPredicate wanted) {
    return submit(promise -> promise.complete(reader.causes(wanted)));
  }

  @Override
  public Future<List<CauseSnapshot.Count>> causeCounts() {
    return submit(promise -> promise.complete(reader.causeCounts()));
  }

  private @Nullable QueuedItem view(@Nullable Item<K> item) {
    return item == null ? null : reader.view(item);
  }

  @Override
  public Future<Explanation> explain(ItemId id) {
    return this.<Explanation>submit(promise -> explainer.explain(id, pause, promise));
  }

  // ---- actions on one item ----

  @Override
  public Optional<String> impossible(ItemId id) {
    return reader.impossible(id).or(() -> reader.parse(id).flatMap(scope::unknownCluster));
  }

  @Override
  public Future<ActionResult> add(ItemId id, Duration delay) {
    return submit(promise -> {
      Optional<K> key = reader.parse(id);
      String unwatched = key.map(scope::refusal).orElse(null);
      if (key.isEmpty()) {
        promise.complete(new ActionResult.NotFound());
      } else if (stopping()) {
        promise.complete(refused());
      } else if (unwatched != null) {
        promise.complete(new ActionResult.Refused(unwatched));
      } else if (!loop.accepts(key.get())) {
        promise.complete(
            new ActionResult.Refused("The slot of the request is closed on this replica."));
      } else {
        Item<K> before = queue.find(key.get());
        Phase phase = before == null ? null : before.phase();
        long order = before == null ? 0 : reader.revOf(before);
        queue.addAfter(key.get(), nanos(delay), EventSink.PRIORITY_NORMAL, Trigger.OPERATOR);
        // One that joins an item that is due already, or earlier, has no attempt of its own.
        ActionResult result =
            before != null
                    && phase != Phase.IN_FLIGHT
                    && before == queue.find(key.get())
                    && phase == before.phase()
                    && order == reader.revOf(before)
                ? new ActionResult.Skipped(
                    phase == Phase.DELAYED ? "it is due earlier already" : "it is due already",
                    reader.view(before))
                : new ActionResult.Applied(view(queue.find(key.get())));
        loop.pump();
        promise.complete(result);
      }
    });
  }

  @Override
  public Future<Boolean> restore(MovedItem item) {
    return submit(promise -> {
      Optional<K> key =
          reader
              .parse(new ItemId(item.namespace(), item.name()))
              .filter(one -> !stopping() && scope.refusal(one) == null && loop.accepts(one));
      // What has been attempted here has a younger state than the one that comes.
      key.filter(one -> loop.history().of(one).isEmpty())
          .ifPresent(one -> queue.moves(controller.format()).restore(item, one::equals));
      loop.pump();
      promise.complete(key.isPresent());
    });
  }

  @Override
  public Future<ActionResult> retry(ItemId id, @Nullable Long rev) {
    return act(id, rev, item -> queue.actions().promote(item) ? null : "it is ready already");
  }

  @Override
  public Future<ActionResult> forget(ItemId id, @Nullable Long rev, boolean reschedule) {
    return act(
        id,
        rev,
        item -> queue.actions().forget(item, reschedule) ? null : "it has no failures to forget");
  }

  @Override
  public Future<ActionResult> requeue(ItemId id, @Nullable Long rev, Duration delay) {
    return act(
        id,
        rev,
        item -> queue.actions().reschedule(item, nanos(delay)) ? null : "nothing to change");
  }

  @Override
  public Future<ActionResult> drop(ItemId id, @Nullable Long rev, String by, String reason) {
    return act(
        id,
        rev,
        item -> {
          if (!queue.actions().drop(item)) {
            return "it is in flight and cannot be taken out";
          }
          loop.removed(item.key(), new HistoryEntry.Removal(false, by, reason));
          return null;
        });
  }

  /** Runs an action that returns why it did nothing, or null when it did something. */
  private Future<ActionResult> act(
      ItemId id, @Nullable Long rev, Function<Item<K>, @Nullable String> action) {
    return submit(promise -> {
      Item<K> item = reader.find(id);
      if (item == null) {
        promise.complete(new ActionResult.NotFound());
      } else if (stopping()) {
        promise.complete(refused());
      } else if (rev != null && rev != reader.revOf(item)) {
        promise.complete(new ActionResult.Changed(reader.view(item)));
      } else {
        String skipped = action.apply(item);
        ActionResult result =
            skipped == null
                ? new ActionResult.Applied(view(queue.find(item.key()))) // gone, or another one
                : new ActionResult.Skipped(skipped, reader.view(item));
        loop.pump();
        promise.complete(result);
      }
    });
  }

  private boolean stopping() {
    return loop.state() == State.DRAINING || loop.state() == State.STOPPED;
  }

  private ActionResult refused() {
    return new ActionResult.Refused("the controller is stopping");
  }

  // ---- actions on the controller ----

  @Override
  public BulkRun begin(BulkRequest request, String by, String reason) {
    BulkTicket ticket = new BulkTicket(stopped -> execute(() -> bulks.stop(stopped)));
    boolean handedOver =
        execute(() -> {
          if (stopping() && !request.dryRun()) {
            ticket.fail(new IllegalStateException("the controller is stopping"));
          } else {
            bulks.begin(request, by, reason, ticket);
          }
        });
    if (!handedOver) {
      ticket.fail(gone());
    }
    return ticket;
  }

  @Override
  public Future<Void> pause(Pause wanted) {
    return submit(promise -> {
      Instant until = wanted.until();
      Long end =
          until == null ? null : nanos(Duration.between(clock.instant(), until)) + clock.nanos();
      pause = wanted;
      loop.pause(end, () -> pause = null);
      promise.complete();
    });
  }

  @Override
  public Future<Void> pause(String reason, String by, @Nullable Duration duration) {
    Instant now = clock.instant();
    return pause(
        new Pause(reason, by, now, duration == null ? null : now.plus(Durations.clamp(duration))));
  }

  @Override
  public Future<Void> resume() {
    return submit(promise -> {
      pause = null;
      loop.resume();
      promise.complete();
    });
  }

  @Override
  public Future<Void> pauseCauses(Map<FailurePattern, Pause> pauses) {
    Map<FailurePattern, Pause> wanted = Map.copyOf(pauses);
    return submit(promise -> {
      queue.pausedCauses().set(wanted);
      loop.pump();
      promise.complete();
    });
  }

  @Override
  public Future<Void> setConcurrency(int concurrency) {
    if (concurrency < 1 || concurrency > ControllerOptions.MAX_CONCURRENCY) {
      return Future.failedFuture(
          new IllegalArgumentException(
              "concurrency must be from 1 to %s: %s"
                  .formatted(ControllerOptions.MAX_CONCURRENCY, concurrency)));
    }
    return submit(promise -> {
      loop.setConcurrency(concurrency);
      promise.complete();
    });
  }

  @Override
  public Future<DrainReport> drain(Duration limit) {
    return submit(promise -> {
      if (drained == null) {
        Promise<DrainReport> report = Promise.promise();
        drained = report.future();
        bulks.controllerStops();
        loop.drain(new Drain<>(controller.name(), reader, report, clock.nanos(), bounded(limit)));
      } else {
        loop.limitDrain(bounded(limit));
      }
      drained.onComplete(promise);
    });
  }

  // ---- transport ----

  private <T> Future<T> submit(Consumer<Promise<T>> body) {
    Promise<T> promise = Promise.promise();
    return execute(() -> PromiseGuard.run(promise, () -> body.accept(promise)))
        ? promise.future()
        : Future.failedFuture(gone());
  }

  /** Runs a task on the event loop; returns false when that has ended. */
  private boolean execute(Runnable task) {
    return loop.inbox().offer(new Command(task));
  }

  private IllegalStateException gone() {
    return new IllegalStateException(
        "the event loop of controller \"" + controller.name() + "\" has ended");
  }

  private static Duration bounded(Duration limit) {
    return Duration.ofNanos(nanos(limit));
  }

  private static long nanos(Duration duration) {
    return Math.max(0, Durations.toNanos(duration));
  }

  @SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
  private static final class Command extends Inbox.Node {
    private final Runnable body;

    Command(Runnable body) {
      this.body = body;
    }

    @Override
    public void process(long now) {
      body.run();
    }
  }
}
