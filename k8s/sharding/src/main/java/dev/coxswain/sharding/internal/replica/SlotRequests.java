// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotMapException;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.store.SlotMapStore;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests for the slot map, one at a time, and the newest version that they or the watch have
 * returned.
 *
 * <p>Thread rule: confined to the thread of the slots, except the requests themselves.
 */
final class SlotRequests {

  private static final Logger LOG = LoggerFactory.getLogger(SlotRequests.class);
  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();
  private static final long LONGEST_PAUSE = Duration.ofSeconds(2).toNanos();

  private final SlotMapStore store;
  private final Clock clock;
  private final Executor threads;
  private final Consumer<Runnable> later;

  private Optional<StoredSlotMap> map = Optional.empty();
  private String problem = "";
  private long arrivedAt;
  private long since;
  private boolean underWay;

  /** Whether the map must be read before anything else is decided on it. */
  private boolean stale = true;

  /** The version that the last update replaces. */
  private long updated;

  private long pause = FIRST_PAUSE;
  private long pausedUntil;
  private boolean paused;
  private String failure = "";

  /** A request of the store. */
  private interface Request {
    Optional<StoredSlotMap> send() throws SlotMapException;
  }

  SlotRequests(SlotMapStore store, Clock clock, Executor threads, Consumer<Runnable> later) {
    this.store = store;
    this.clock = clock;
    this.threads = threads;
    this.later = later;
  }

  /** Returns the newest version of the map; empty when there is none. */
  Optional<StoredSlotMap> map() {
    return map;
  }

  /** Returns when this version of the map arrived; any value when there is none. */
  long since() {
    return since;
  }

  /** Returns why the map cannot be used; empty when it can, or there is none. */
  String problem() {
    return problem;
  }

  /** Returns why the last request failed; empty when it succeeded. */
  String failure() {
    return failure;
  }

  /** Returns whether a request has not been answered; nothing else can be sent then. */
  boolean isUnderWay() {
    return underWay;
  }

  /** Returns how long to wait after a failure. */
  long left(long now) {
    return paused ? Math.max(0, pausedUntil - now) : 0;
  }

  /** Returns whether the map has to be read first. */
  boolean isStale() {
    return stale;
  }

  /** Takes a version from the watch. */
  void watched(StoredSlotMap found) {
    take(found);
  }

  /** Takes the end of the map from the watch. */
  void deleted(long version) {
    if (map.isEmpty() || version >= map.get().version()) {
      LOG.atWarn().log("slot map was deleted");
      map = Optional.empty();
      stale = true;
    }
  }

  /** Takes a version that cannot be used. */
  void unusable(String why) {
    problem = why;
  }

  void read(long now) {
    send(now, store::read);
  }

  /** Creates the map, unless there is one by now. */
  void create(long now) {
    send(
        now,
        () -> {
          Optional<StoredSlotMap> present = store.read();
          return present.isPresent() ? present : Optional.of(store.create());
        });
  }

  void update(StoredSlotMap before, List<SlotChange> changes, long now) {
    updated = before.version();
    send(now, () -> Optional.of(store.update(before, before.map().with(changes))));
  }

  private void send(long sent, Request request) {
    underWay = true;
    threads.execute(() -> {
      Runnable outcome;
      try {
        Optional<StoredSlotMap> found = request.send();
        outcome = () -> answered(found, sent);
      } catch (SlotMapException e) {
        outcome =
            () -> {
              ended(null);
              stale = false; // the watch shows when it can be used
              unusable(String.valueOf(e.getMessage()));
            };
      } catch (Throwable e) {
        outcome =
            () -> {
              ended(e);
              stale = !(isConflict(e) && hasNewerThan(updated));
            };
      }
      later.accept(outcome);
    });
  }

  private void answered(Optional<StoredSlotMap> found, long sent) {
    ended(null);
    stale = false;
    if (found.isPresent()) {
      take(found.get());
    } else if (map.isEmpty() || arrivedAt - sent < 0) {
      map = Optional.empty(); // otherwise it was created after this read
      problem = "";
    }
  }

  private void ended(@Nullable Throwable cause) {
    underWay = false;
    if (cause == null) {
      if (!failure.isEmpty()) {
        LOG.atInfo().log("slot map request succeeded again");
      }
      paused = false;
      failure = "";
      pause = FIRST_PAUSE;
      return;
    }
    if (isConflict(cause)) {
      return; // another replica was faster: read and decide again
    }
    paused = true;
    String before = failure;
    failure = "the slot map cannot be read or written: " + cause.getMessage();
    pausedUntil = clock.nanos() + pause;
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    if (!failure.equals(before)) { // it is shown in the API as long as it lasts
      LOG.atWarn()
          .addKeyValue("error", String.valueOf(cause))
          .log("slot map request failed, retrying");
    }
  }

  private static boolean isConflict(Throwable cause) {
    return cause instanceof ApiStatusException e && e.isConflict();
  }

  /** Whether the watch has delivered a later version: it need not be read after a conflict. */
  private boolean hasNewerThan(long version) {
    return map.isPresent() && map.get().version() > version;
  }

  private void take(StoredSlotMap found) {
    if (map.isPresent()
        && (found.version() < map.get().version()
            || (found.version() == map.get().version() && found.sent() - map.get().sent() <= 0))) {
      return;
    }
    arrivedAt = clock.nanos();
    if (map.isEmpty() || found.version() != map.get().version()) {
      since = arrivedAt;
    }
    map = Optional.of(found);
    problem = "";
  }
}
