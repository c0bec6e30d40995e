// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.store.MovedSlotStore;
import dev.coxswain.sharding.internal.store.MovedSlotStore.Term;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.MovedSlot;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the state of queues over with slots: the owner stores it before the slot changes hands, and
 * the new owner reads it before it opens the slot. Neither waits for it without a limit, and slots that move
 * together share one request.
 *
 * <p>Thread rule: confined to the thread of the slots, except the requests.
 */
final class SlotMoves {

  private static final Logger LOG = LoggerFactory.getLogger(SlotMoves.class);

  /** The maximum number of requests of a controller in a slot. */
  private static final int MAX_ITEMS = 2_000;

  /** Longer than all attempts to store what is handed over. */
  private static final long EXPORT_LIMIT = Duration.ofSeconds(5).toNanos();

  private static final int ATTEMPTS = 3;
  private static final long PAUSE = Duration.ofMillis(100).toNanos();

  private final MovedSlotStore store;
  private final ShardedControllers controllers;
  private final Clock clock;
  private final Executor threads;
  private final Consumer<Runnable> later;
  private final Map<Integer, Export> exports = new HashMap<>();

  /** The ordinals of the owners that hand slots over to this replica. */
  private final Map<Integer, Integer> sources = new HashMap<>();

  /** The epochs for which the state of slots is stored: another move in the same one replaces it. */
  private final Map<Integer, Long> stored = new HashMap<>();

  /** What is to be stored with the next request, by the ordinal of this replica. */
  private final Map<Integer, Outgoing> outgoing = new HashMap<>();

  /** What is to be read with the next request, by the ordinal of the former owner. */
  private final Map<Integer, Map<Term, Promise<Map<String, MovedSlot>>>> wanted = new HashMap<>();

  private record Outgoing(Map<Term, Map<String, MovedSlot>> states, List<Export> exports) {
    static Outgoing empty() {
      return new Outgoing(new HashMap<>(), new ArrayList<>());
    }
  }

  private static final class Export {
    private final long epoch;
    private final long begun;
    private boolean done;

    Export(long epoch, long begun) {
      this.epoch = epoch;
      this.begun = begun;
    }
  }

  SlotMoves(
      MovedSlotStore store,
      ShardedControllers controllers,
      Clock clock,
      Executor threads,
      Consumer<Runnable> later) {
    this.store = store;
    this.controllers = controllers;
    this.clock = clock;
    this.threads = threads;
    this.later = later;
  }

  /** Returns whether a closed slot can be handed over; begins to store its state at first. */
  boolean isExported(int ordinal, Term term) {
    Export export = exports.get(term.slot());
    if (export == null || export.epoch != term.epoch()) {
      Export begun = new Export(term.epoch(), clock.nanos());
      exports.put(term.slot(), begun);
      controllers
          .export(term.slot(), MAX_ITEMS + 1)
          .onComplete(exported ->
              later.accept(() -> {
                if (exported.succeeded()) {
                  send(ordinal, term, exported.result(), begun);
                } else {
                  begun.done = true; // a controller is stopping
                }
              }));
      return false;
    }
    if (!export.done && clock.nanos() - export.begun > EXPORT_LIMIT) {
      export.done = true;
      LOG.atWarn().addKeyValue("slot", term.slot()).log("state of a slot not handed over in time");
    }
    return export.done;
  }

  private void send(int ordinal, Term term, Map<String, MovedSlot> state, Export export) {
    boolean empty = state.values().stream().allMatch(SlotMoves::isEmpty);
    boolean replaces = Objects.requireNonNullElse(stored.get(term.slot()), -1L) == term.epoch();
    if (ordinal < 0 || (empty && !replaces)) {
      export.done = true;
      return;
    }
    state.forEach((controller, moved) -> {
      if (moved.items().size() > MAX_ITEMS) {
        LOG.atWarn()
            .addKeyValue("controller", controller)
            .addKeyValue("slot", term.slot())
            .addKeyValue("requests", MAX_ITEMS)
            .log(
                "queue of a slot too long, handed over in part: the other requests lose their"
                    + " failures, and those without an object are lost");
      }
    });
    stored.put(term.slot(), term.epoch());
    Outgoing more = outgoing.computeIfAbsent(ordinal, _ -> Outgoing.empty());
    more.states.put(term, state);
    more.exports.add(export);
  }

  private static boolean isEmpty(MovedSlot moved) {
    return moved.items().isEmpty() && moved.history().isEmpty();
  }

  /** Sends the requests that have become due. */
  void flush() {
    outgoing.forEach((ordinal, more) ->
        threads.execute(() -> {
          attempt("state of slots not handed over", () -> put(ordinal, more.states));
          later.accept(() -> more.exports.forEach(export -> export.done = true));
        }));
    outgoing.clear();
    wanted.forEach((ordinal, fetches) -> threads.execute(() -> fetch(ordinal, fetches)));
    wanted.clear();
  }

  private void put(int ordinal, Map<Term, Map<String, MovedSlot>> states) {
    int left = store.put(ordinal, states);
    if (left > 0) {
      LOG.atWarn()
          .addKeyValue("slots", states.size())
          .addKeyValue("requests", left)
          .log(
              "state of slots too large, requests not handed over: they lose their failures, and"
                  + " those that no object brings are lost");
    }
  }

  /** A slot is about to be handed over by the replica of an ordinal, -1 when unknown. */
  void incoming(int slot, int ordinal) {
    sources.put(slot, ordinal);
  }

  /** A slot is opened: its next move exports it again. */
  void opened(int slot) {
    exports.remove(slot);
  }

  /** Returns what was handed over with an incoming slot, by controller, after {@link #flush}. */
  Future<Map<String, MovedSlot>> fetch(Term term) {
    int ordinal = Objects.requireNonNullElse(sources.remove(term.slot()), -1);
    if (ordinal < 0) {
      return Future.succeededFuture(Map.of());
    }
    Promise<Map<String, MovedSlot>> fetched = Promise.promise();
    wanted.computeIfAbsent(ordinal, _ -> new HashMap<>()).put(term, fetched);
    return fetched.future();
  }

  private void fetch(int ordinal, Map<Term, Promise<Map<String, MovedSlot>>> fetches) {
    Map<Term, Map<String, MovedSlot>> found = new HashMap<>();
    attempt(
        "state of slots not received", () -> found.putAll(store.get(ordinal, fetches.keySet())));
    fetches.forEach((term, fetched) -> fetched.complete(found.getOrDefault(term, Map.of())));
    if (!found.isEmpty()) {
      attempt("state of slots not removed", () -> store.remove(ordinal, found.keySet()));
    }
  }

  /**
   * A request that was not brought by an object is nowhere else, so a request that fails is repeated.
   */
  private static void attempt(String failure, Runnable request) {
    for (int attempt = 1; ; attempt++) {
      try {
        request.run();
        return;
      } catch (Throwable e) {
        if (attempt == ATTEMPTS) {
          // The next owner treats the requests of objects as new.
          LOG.atWarn().addKeyValue("error", String.valueOf(e)).log(failure);
          return;
        }
        LockSupport.parkNanos(PAUSE);
      }
    }
  }
}
