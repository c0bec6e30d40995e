// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.controller.ActionResult;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkRun;
import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueueSnapshot;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A controller made of {@link FakeItems}. Its answers come from a thread of its own, as a real
 * one's come from another event loop, and it can be told to be silent, to throw or to fail.
 */
public final class FakeController implements ControllerHandle, AutoCloseable {

  public enum Mood {
    ANSWERS,
    SILENT,
    THROWS,
    FAILS
  }

  public static final Instant START = Instant.parse("2026-11-20T10:00:00Z");

  private final String name;
  private final ExecutorService loop =
      Executors.newSingleThreadExecutor(task -> new Thread(task, "fake-controller"));
  private final FakeItems items = new FakeItems();
  public volatile Mood mood = Mood.ANSWERS;
  public volatile ControllerStatus.State state = ControllerStatus.State.RUNNING;
  public volatile boolean unreadable;
  public volatile ControllerOptions.Ownership ownership = ControllerOptions.Ownership.LEADER;

  /** How many questions were heard and will never be answered. */
  public final AtomicInteger unanswered = new AtomicInteger();

  /** How many single items were changed. */
  public final AtomicInteger changes = new AtomicInteger();

  /** Whether single items are shown, and changes of them heard and never answered. */
  public volatile boolean silentActions;

  /** The names of the items that each label selector selects; null when it holds no objects. */
  public volatile @Nullable Map<String, Set<String>> selected;

  public volatile Instant startedAt = START;
  public volatile ControllerStatus.Ended ended = ControllerStatus.Ended.NONE;
  public volatile int concurrency = 1;
  public volatile ControllerStatus.@Nullable Pause pause;
  public volatile Map<FailurePattern, ControllerStatus.Pause> pausedCauses = Map.of();
  public final Conditions conditions;
  public final List<BulkRequest> bulks = new ArrayList<>();
  public volatile @Nullable Promise<BulkResult> heldBulk;

  /** What becomes of the next bulk action that counts. */
  public volatile @Nullable BulkResult counted;

  public volatile BulkProgress progress = BulkProgress.NONE;
  public final AtomicInteger stops = new AtomicInteger();
  public volatile @Nullable Duration lastDelay;

  /** Why it does not have an item that is not there. */
  public volatile Explanation.Reason absence = Explanation.Reason.NOT_TRACKED;

  /** Why no request can have any id; null when one can. */
  public volatile @Nullable String impossible;

  public FakeController(String name) {
    this.name = name;
    this.conditions = new Conditions(name, Clock.system());
  }

  /** Puts an item there and returns its id. */
  public synchronized String put(
      String namespace, String itemName, Phase phase, int failures, @Nullable String error) {
    return items.put(namespace, itemName, phase, failures, error);
  }

  public synchronized int size() {
    return items.size();
  }

  public synchronized @Nullable QueuedItem at(String id) {
    return items.at(id);
  }

  public synchronized void remove(String id) {
    items.remove(id);
  }

  private <T> Future<T> answer(Supplier<T> body) {
    return switch (mood) {
      case SILENT -> {
        unanswered.incrementAndGet();
        yield Promise.<T>promise().future();
      }
      case THROWS -> throw new IllegalArgumentException("secret internals");
      case FAILS -> Future.failedFuture(new IllegalStateException("secret internals"));
      case ANSWERS -> {
        Promise<T> promise = Promise.promise();
        loop.execute(() -> {
          synchronized (this) {
            promise.complete(body.get());
          }
        });
        yield promise.future();
      }
    };
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public ControllerOptions options() {
    return ControllerOptions.DEFAULT.withOwnership(ownership);
  }

  @Override
  public ControllerStatus status() {
    if (unreadable) {
      throw new IllegalArgumentException("secret internals");
    }
    return new ControllerStatus(
        state,
        concurrency,
        0,
        List.of(new ControllerStatus.SourceStatus("ConfigMap in all namespaces", true, null)),
        pause,
        pausedCauses,
        startedAt,
        ended,
        conditions.all());
  }

  @Override
  public synchronized QueueSnapshot snapshot() {
    return items.snapshot();
  }

  @Override
  public boolean selects(String labelSelector) {
    if (labelSelector.contains("~")) {
      throw new IllegalArgumentException("label selector \"" + labelSelector + "\": found \"~\"");
    }
    return selected != null;
  }

  private boolean meant(ItemFilter filter, QueuedItem item) {
    Map<String, Set<String>> names = selected;
    return FakeItems.matches(filter, item)
        && (filter.labelSelector() == null
            || (names != null
                && names.getOrDefault(filter.labelSelector(), Set.of()).contains(item.name())));
  }

  @Override
  public Future<ItemPage> list(ItemFilter filter, ItemPage.@Nullable Cursor cursor, int limit) {
    return answer(() -> items.page(item -> meant(filter, item), cursor, limit));
  }

  @Override
  public Future<List<CauseSnapshot>> causes(LongPredicate wanted) {
    return answer(() ->
        items.causes(pausedCauses).stream()
            .filter(one -> wanted.test(FailurePattern.number(one.id())))
            .toList());
  }

  @Override
  public Future<List<CauseSnapshot.Count>> causeCounts() {
    return answer(() ->
        items.causes(pausedCauses).stream()
            .map(one ->
                new CauseSnapshot.Count(
                    FailurePattern.number(one.id()), one.items(), one.lastSeen()))
            .toList());
  }

  @Override
  public Future<Void> pauseCauses(Map<FailurePattern, ControllerStatus.Pause> pauses) {
    return answer(() -> {
      pausedCauses = Map.copyOf(pauses);
      return null;
    });
  }

  @Override
  public Future<Optional<QueuedItem>> item(ItemId id) {
    return answer(() -> Optional.ofNullable(at(id.encoded())));
  }

  @Override
  public Optional<String> impossible(ItemId id) {
    return Optional.ofNullable(impossible);
  }

  @Override
  public Future<Explanation> explain(ItemId id) {
    return answer(() -> {
      QueuedItem item = at(id.encoded());
      return item == null
          ? new Explanation(absence, "Not in the queue.", null, 0, 0, null, List.of())
          : new Explanation(
              Explanation.Reason.BACKOFF,
              "It failed and waits.",
              item,
              2,
              5,
              START.plusSeconds(60),
              List.of("The controller is paused."));
    });
  }

  @Override
  public Future<ActionResult> add(ItemId id, Duration delay) {
    return answer(() -> {
      lastDelay = delay;
      if (id.name().equals("impossible")) {
        return new ActionResult.NotFound();
      }
      if (at(id.encoded()) == null) {
        put(id.namespace(), id.name(), delay.isZero() ? Phase.READY : Phase.DELAYED, 0, null);
      }
      return new ActionResult.Applied(at(id.encoded()));
    });
  }

  private Future<ActionResult> act(
      ItemId id, @Nullable Long rev, Function<QueuedItem, ActionResult> action) {
    if (silentActions) {
      unanswered.incrementAndGet();
      return Promise.<ActionResult>promise().future();
    }
    changes.incrementAndGet();
    return answer(() -> {
      QueuedItem item = at(id.encoded());
      if (item == null) {
        return new ActionResult.NotFound();
      }
      if (state == ControllerStatus.State.DRAINING) {
        return new ActionResult.Refused("the controller is stopping");
      }
      return rev != null && rev != item.rev() ? new ActionResult.Changed(item) : action.apply(item);
    });
  }

  @Override
  public Future<ActionResult> retry(ItemId id, @Nullable Long rev) {
    return act(
        id,
        rev,
        item -> {
          if (item.phase() == Phase.READY) {
            return new ActionResult.Skipped("it is ready already", item);
          }
          put(item.namespace(), item.name(), Phase.READY, item.failures(), item.lastError());
          return new ActionResult.Applied(at(item.id()));
        });
  }

  @Override
  public Future<ActionResult> forget(ItemId id, @Nullable Long rev, boolean reschedule) {
    return act(
        id,
        rev,
        item -> {
          put(item.namespace(), item.name(), reschedule ? Phase.READY : item.phase(), 0, null);
          return new ActionResult.Applied(at(item.id()));
        });
  }

  @Override
  public Future<ActionResult> requeue(ItemId id, @Nullable Long rev, Duration delay) {
    return act(
        id,
        rev,
        item -> {
          lastDelay = delay;
          put(item.namespace(), item.name(), Phase.DELAYED, item.failures(), item.lastError());
          return new ActionResult.Applied(at(item.id()));
        });
  }

  @Override
  public Future<ActionResult> drop(ItemId id, @Nullable Long rev, String by, String reason) {
    return act(
        id,
        rev,
        item -> {
          if (item.phase() == Phase.IN_FLIGHT) {
            return new ActionResult.Skipped("it is in flight and cannot be taken out", item);
          }
          remove(item.id());
          return new ActionResult.Applied(null);
        });
  }

  @Override
  public BulkRun begin(BulkRequest request, String by, String reason) {
    Future<BulkResult> result = carryOut(request);
    return new BulkRun() {
      @Override
      public BulkProgress progress() {
        return progress;
      }

      @Override
      public Future<BulkResult> result() {
        return result;
      }

      @Override
      public void stop() {
        stops.incrementAndGet();
      }
    };
  }

  private Future<BulkResult> carryOut(BulkRequest request) {
    synchronized (this) {
      bulks.add(request);
    }
    Promise<BulkResult> held = heldBulk;
    if (held != null && !request.dryRun()) {
      return held.future();
    }
    BulkResult told = counted;
    if (told != null && request.dryRun()) {
      return Future.succeededFuture(told);
    }
    return answer(() -> {
      List<QueuedItem> matched = items.all(item -> meant(request.filter(), item));
      BulkResult result = items.result(request, matched);
      if (result.changed() > 0 && request.action() == BulkRequest.Action.FLUSH) {
        matched.stream()
            .filter(item -> item.phase() != Phase.IN_FLIGHT)
            .forEach(item -> remove(item.id()));
      }
      return result;
    });
  }

  @Override
  public Future<Void> pause(ControllerStatus.Pause wanted) {
    return answer(() -> {
      pause = wanted;
      return null;
    });
  }

  @Override
  public Future<Void> pause(String reason, String by, @Nullable Duration duration) {
    return pause(
        new ControllerStatus.Pause(
            reason, by, START, duration == null ? null : START.plus(duration)));
  }

  @Override
  public Future<Void> resume() {
    return answer(() -> {
      pause = null;
      return null;
    });
  }

  @Override
  public Future<Void> setConcurrency(int value) {
    return answer(() -> {
      concurrency = value;
      return null;
    });
  }

  @Override
  public Future<DrainReport> drain(Duration limit) {
    return Future.failedFuture(new UnsupportedOperationException("not needed here"));
  }

  @Override
  public void close() {
    loop.shutdownNow();
  }
}
