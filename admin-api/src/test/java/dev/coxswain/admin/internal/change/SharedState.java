// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.spi.HistoryStore;
import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.view.FailurePattern;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the replicas of a test have in common: stored pauses, an overridden limiter and the history. */
final class SharedState implements PauseStore, LimiterOverrides {

  /** The stored pauses, by controller and cause. */
  final Map<String, Pause> stored = new HashMap<>();

  /** The controllers that follow the stored pauses. */
  private final List<Api> apis;

  SharedState(List<Api> apis) {
    this.apis = apis;
  }

  /** Gives it to all replicas, with one history. */
  Records share() {
    Records records = new Records();
    for (Api api : apis) {
      api.directory.pauses = this;
      api.directory.overrides = this;
      api.directory.history = records;
    }
    show(10, 100, null);
    return records;
  }

  /** The history of all replicas. */
  static final class Records implements HistoryStore {
    private List<Entry> entries = List.of();

    @Override
    public synchronized void add(Entry entry) {
      List<Entry> next = new ArrayList<>(entries);
      next.add(entry);
      entries = List.copyOf(next);
    }

    @Override
    public synchronized Future<List<Entry>> read() {
      return Future.succeededFuture(entries);
    }
  }

  synchronized @Nullable Pause of(String key) {
    return stored.get(key);
  }

  synchronized Optional<Pause> put(String key, @Nullable Pause pause) {
    Optional<Pause> before = Optional.ofNullable(stored.remove(key));
    if (pause != null) {
      stored.put(key, before.filter(pause::isAs).orElse(pause));
    }
    return before;
  }

  @Override
  public Future<Optional<Pause>> pause(String controller, Pause pause) {
    return Future.succeededFuture(put(controller, pause));
  }

  @Override
  public Future<Optional<Pause>> resume(String controller) {
    return Future.succeededFuture(put(controller, null));
  }

  @Override
  public Future<Optional<Pause>> pauseCause(String controller, FailurePattern cause, Pause pause) {
    return Future.succeededFuture(put(controller + "." + cause.id(), pause));
  }

  @Override
  public Future<Optional<Pause>> resumeCause(String controller, String cause) {
    return Future.succeededFuture(put(controller + "." + cause, null));
  }

  @Override
  public synchronized Future<Void> restore(Restoration wanted) {
    String key =
        wanted.cause() == null ? wanted.controller() : wanted.controller() + "." + wanted.cause();
    Pause now = stored.get(key);
    if (!Objects.equals(now, wanted.expected())) {
      return Future.failedFuture(new ChangedException(now));
    }
    put(key, wanted.pause());
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> follow(ControllerHandle controller) {
    Pause now = of(controller.name());
    return now == null ? controller.resume() : controller.pause(now.status());
  }

  // ---- the limiter ----

  void show(double rate, int burst, @Nullable Instant until) {
    for (Api api : apis) {
      api.directory.budgets.clear();
      api.directory.budgets.add(
          new BudgetSnapshot(
              "vendor",
              "hazelcast",
              rate,
              burst,
              1,
              0,
              0,
              0,
              List.of("demo"),
              null,
              List.of(),
              until,
              null));
    }
  }

  @Override
  public synchronized Future<Void> set(
      String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl) {
    show(rate == null ? 10 : rate, burst == null ? 100 : burst, Instant.now().plus(ttl));
    return Future.succeededFuture();
  }

  @Override
  public boolean raises(String limiter, @Nullable Double rate, @Nullable Integer burst) {
    return rate != null && rate > 10;
  }

  @Override
  public synchronized Future<Void> clear(String limiter) {
    show(10, 100, null);
    return Future.succeededFuture();
  }
}
