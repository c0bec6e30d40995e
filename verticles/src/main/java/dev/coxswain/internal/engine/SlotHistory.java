// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.history.AttemptHistory;
import dev.coxswain.internal.history.HistoryEntry;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.MovedAttempts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The past attempts of the requests of slots, which come and go with them.
 *
 * <p>Thread rule: confined to the controller's event loop, which does other work between the steps of
 * a walk.
 */
final class SlotHistory<K> {
  /** The places that one turn visits, about: each turn more makes a hand-over wait for other work. */
  private static final int PLACES_OF_A_TURN = 4_096;

  private static final int MOST_FOUND = 10 * MovedAttempts.MAX;

  private final AttemptHistory<K> history;
  private final RequestFormat<K> format;
  private final ControllerTelemetry telemetry;
  private final Executor yielding;

  SlotHistory(
      AttemptHistory<K> history,
      RequestFormat<K> format,
      ControllerTelemetry telemetry,
      Executor yielding) {
    this.history = history;
    this.format = format;
    this.telemetry = telemetry;
    this.yielding = yielding;
  }

  /**
   * Passes on what moves of some requests: the attempts of those that have failed, the newest ones
   * first. Of the others the next owner has an attempt of its own soon.
   */
  void export(Predicate<K> requests, Consumer<List<MovedAttempts>> done) {
    List<HistoryEntry<K>> found = new ArrayList<>();
    walk(
        0,
        step -> history.forEach(step, one -> addFailed(one, requests, found)),
        () -> {
          keepNewest(found);
          done.accept(found.stream().map(this::moved).flatMap(Optional::stream).toList());
        });
  }

  /** The slot of a request costs more than the rest, so it is computed last. */
  private static <K> void addFailed(
      HistoryEntry<K> one, Predicate<K> requests, List<HistoryEntry<K>> to) {
    if (!one.isPlain() && requests.test(one.key())) {
      to.add(one);
      if (to.size() > MOST_FOUND) {
        keepNewest(to);
      }
    }
  }

  private static <K> void keepNewest(List<HistoryEntry<K>> found) {
    found.sort(Comparator.comparingLong(HistoryEntry<K>::endedAt).reversed());
    if (found.size() > MovedAttempts.MAX) {
      found.subList(MovedAttempts.MAX, found.size()).clear();
    }
  }

  private Optional<MovedAttempts> moved(HistoryEntry<K> newest) {
    K key = newest.key();
    try {
      return Optional.of(
          new MovedAttempts(format.namespace(key), format.name(key), history.of(key)));
    } catch (Throwable e) { // user code
      telemetry.userCodeFailed("format of a request", e);
      return Optional.empty();
    }
  }

  /** Adds what another replica has stored. */
  void restore(List<MovedAttempts> moved) {
    for (MovedAttempts one : moved) {
      try {
        format
            .parse(one.namespace(), one.name())
            .ifPresent(key -> history.restore(key, one.attempts()));
      } catch (Throwable e) { // user code
        telemetry.userCodeFailed("format of a request", e);
      }
    }
  }

  /** Removes what is kept of some requests: from now on another replica runs their attempts. */
  void drop(Predicate<K> requests, Runnable done) {
    walk(0, step -> history.remove(step, requests), done);
  }

  private void walk(int from, Consumer<Integer> visit, Runnable done) {
    int step = from;
    try {
      for (int places = 0; step < AttemptHistory.STEPS && places < PLACES_OF_A_TURN; step++) {
        places += history.places(step);
        visit.accept(step);
      }
    } catch (Throwable e) { // the format of a request is user code
      telemetry.userCodeFailed("format of a request", e);
      done.run();
      return;
    }
    int next = step;
    if (next == AttemptHistory.STEPS) {
      done.run();
    } else {
      yielding.execute(() -> walk(next, visit, done));
    }
  }
}
