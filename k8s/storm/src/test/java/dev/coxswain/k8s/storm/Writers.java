// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the server, and keeps what it acknowledged.
 *
 * <p>Each writer has slots of its own, so for each name there is one truth. A write that is refused
 * or not answered is tried again; because the result of one without a response is unknown, every
 * write is tied to a version or an incarnation, and an old one that arrives late is refused.
 *
 * <p>Thread rule: one run at a time; each writer is a virtual thread.
 */
final class Writers {

  /** What a writer does to a slot. */
  enum Operation {
    CREATE,
    SPEC,
    STATUS,
    FLIP,
    DELETE,
    REPLACE,
    DELETE_CHILD
  }

  private static final int WRITERS = 8;
  private static final int PARENTS_ONE_IN = 4;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration LONGEST_WAIT = Duration.ofMillis(500);

  private final Resource<Ship> ships;
  private final Resource<V1ConfigMap> maps;
  private final long seed;
  private final Function<Request, Optional<String>> shownChild;
  private final List<Slot> slots = new ArrayList<>();
  private final AtomicLong values = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final Set<String> goneUids = ConcurrentHashMap.newKeySet();
  private final Map<Operation, AtomicLong> counts = new EnumMap<>(Operation.class);

  /**
   * Creates writers with empty slots.
   *
   * @param shownChild the uid of the child of a ship that the controllers' caches show, if any
   */
  Writers(
      Kubernetes k8s,
      Fleet fleet,
      int objects,
      long seed,
      Function<Request, Optional<String>> shownChild) {
    this.shownChild = shownChild;
    ships = k8s.resource(fleet.ships());
    maps = k8s.resource(V1ConfigMap.class);
    this.seed = seed;
    for (int i = 0; i < objects; i++) {
      slots.add(
          new Slot(
              Request.of(fleet.namespaces().get(i % 2), "s" + i),
              i / 2 % 2 == 0,
              i / 4 % PARENTS_ONE_IN == 0));
    }
    for (Operation operation : Operation.values()) {
      counts.put(operation, new AtomicLong());
    }
  }

  List<Slot> slots() {
    return slots;
  }

  /** Returns the uids of all objects that were deleted. */
  Set<String> goneUids() {
    return Set.copyOf(goneUids);
  }

  /** Returns how many writes were refused or not answered, and tried again. */
  long refused() {
    return refused.get();
  }

  /** Returns how often everything was done. */
  Map<Operation, AtomicLong> counts() {
    return counts;
  }

  /** Creates whatever is not there. */
  void fill() {
    eachWriter(writer -> {
      SplittableRandom random = random(writer, -1);
      for (int i = writer; i < slots.size(); i += WRITERS) {
        Slot slot = slots.get(i);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!slot.present()) {
          create(slot, random.nextBoolean());
          if (!slot.present()) {
            // The one before waits for its finalizer.
            requireTime(end, "to create " + slot.key() + " again", null);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
          }
        }
      }
    });
  }

  /**
   * Writes for some time.
   *
   * @param round which round; each has random numbers of its own
   * @param time how long
   * @param rate operations per second of all writers together
   */
  void storm(int round, Duration time, int rate) {
    long begin = System.nanoTime();
    long interval = TimeUnit.SECONDS.toNanos(WRITERS) / rate;
    eachWriter(writer -> {
      SplittableRandom random = random(writer, round);
      long next = begin + random.nextLong(interval);
      while (next - begin < time.toNanos()) {
        long early = next - System.nanoTime();
        if (early > 0) {
          LockSupport.parkNanos(early);
        }
        Slot slot = slots.get(random.nextInt(slots.size() / WRITERS) * WRITERS + writer);
        operate(slot, random);
        // Time lost while nothing was answered is not made up for by a burst.
        next = Math.max(next + interval, System.nanoTime());
      }
    });
  }

  private SplittableRandom random(int writer, int round) {
    return new SplittableRandom(seed + 1_000L * round + writer);
  }

  private interface Work {
    void run(int writer);
  }

  private static void eachWriter(Work work) {
    ThreadFactory threads = Thread.ofVirtual().name("storm-writer-", 0).factory();
    try (var executor = Executors.newThreadPerTaskExecutor(threads)) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        running.add(executor.submit(() -> work.run(writer)));
      }
      for (Future<?> one : running) {
        try {
          one.get();
        } catch (Exception e) {
          throw new AssertionError("a writer failed", e);
        }
      }
    }
  }

  private void operate(Slot slot, SplittableRandom random) {
    if (!slot.present()) {
      create(slot, random.nextBoolean());
      return;
    }
    int dice = random.nextInt(100);
    if (dice < 45) {
      changeSpec(slot);
    } else if (dice < 60) {
      writeNote(slot);
    } else if (dice < 79) {
      flip(slot);
    } else if (dice < 87) {
      delete(Operation.DELETE, slot);
    } else if (dice < 96) {
      delete(Operation.REPLACE, slot);
      create(slot, random.nextBoolean());
    } else if (slot.crew()) {
      deleteChild(slot);
    }
  }

  /** Leaves the slot empty when an older object of that name waits for its finalizer. */
  private void create(Slot slot, boolean hot) {
    long value = values.incrementAndGet();
    Ship wanted = Ship.of(slot, value, hot);
    retry(
            "create " + slot.key(),
            () -> {
              try {
                return Optional.of(ships.create(wanted));
              } catch (ApiStatusException e) {
                if (!e.isAlreadyExists()) {
                  throw e;
                }
                // Ours, if the answer of an earlier try was lost.
                return ships
                    .get(slot.key())
                    .filter(stored ->
                        stored.wanted().value() == value && !Finalizers.isDeleting(stored));
              }
            })
        .ifPresent(stored -> {
          slot.created(stored);
          count(Operation.CREATE);
        });
  }

  private void changeSpec(Slot slot) {
    long value = values.incrementAndGet();
    JsonObject spec = new JsonObject();
    spec.addProperty("value", value);
    JsonObject patch = new JsonObject();
    patch.add("spec", spec);
    change(slot, patch, stored -> stored.wanted().value() == value);
    slot.valueIs(value);
    count(Operation.SPEC);
  }

  private void flip(Slot slot) {
    boolean hot = !slot.hot();
    JsonObject labels = new JsonObject();
    labels.addProperty(Fleet.HOT, Boolean.toString(hot));
    JsonObject metadata = new JsonObject();
    metadata.add("labels", labels);
    JsonObject patch = new JsonObject();
    patch.add("metadata", metadata);
    change(slot, patch, stored -> stored.hot() == hot);
    slot.hotIs(hot);
    count(Operation.FLIP);
  }

  private void change(Slot slot, JsonObject patch, Predicate<Ship> done) {
    retry(
        "patch " + slot.key(),
        () -> {
          Ship stored = read(slot);
          if (done.test(stored)) {
            return stored; // the answer of an earlier try was lost
          }
          JsonObject tied = patch.deepCopy();
          JsonObject metadata =
              tied.get("metadata") instanceof JsonObject given ? given : new JsonObject();
          metadata.addProperty("resourceVersion", stored.getMetadata().getResourceVersion());
          tied.add("metadata", metadata);
          return ships.patch(slot.key(), tied);
        });
  }

  private Ship read(Slot slot) {
    Ship stored =
        ships
            .get(slot.key())
            .orElseThrow(
                () -> new AssertionError(slot.key() + " was acknowledged and is not there"));
    if (!stored.uid().equals(slot.uid()) || Finalizers.isDeleting(stored)) {
      throw new AssertionError(slot.key() + " is not the one that was acknowledged");
    }
    return stored;
  }

  private void writeNote(Slot slot) {
    JsonObject note = new JsonObject();
    note.addProperty("note", "n" + values.incrementAndGet());
    JsonObject patch = new JsonObject();
    patch.add("status", note);
    retry("note " + slot.key(), () -> ships.patchStatus(slot.key(), patch));
    count(Operation.STATUS);
  }

  private void delete(Operation operation, Slot slot) {
    retry(
        "delete " + slot.key(),
        () -> ships.delete(slot.key(), DeleteOptions.BACKGROUND.withUid(slot.uid())));
    goneUids.add(slot.uid());
    slot.deleted();
    count(operation);
  }

  /**
   * Deletes a child that a cache shows. An object that comes and goes while a cache has no watch
   * causes no event, so it would not be created again.
   */
  private void deleteChild(Slot slot) {
    Optional<String> uid = shownChild.apply(slot.key());
    if (uid.isEmpty()) {
      return;
    }
    retry(
        "delete child of " + slot.key(),
        () -> {
          try {
            return maps.delete(
                Captains.childOf(slot.key()), DeleteOptions.BACKGROUND.withUid(uid.get()));
          } catch (ApiStatusException e) {
            if (!e.isConflict()) {
              throw e;
            }
            return false; // it is another one by now
          }
        });
    count(Operation.DELETE_CHILD);
  }

  private void count(Operation operation) {
    Objects.requireNonNull(counts.get(operation)).incrementAndGet();
  }

  private <R> R retry(String what, Supplier<R> write) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (int attempt = 1; ; attempt++) {
      try {
        return write.get();
      } catch (ApiStatusException e) {
        boolean passes =
            e.isNoAnswer() || e.isConflict() || e.isExpired() || e.code() == 429 || e.code() >= 500;
        boolean starting = e.code() == 403; // a server that has just started has read no roles
        if (!passes && !starting) {
          throw e;
        }
        requireTime(end, what, e);
        refused.incrementAndGet();
        Duration wait = Duration.ofMillis(Math.min(10L << Math.min(attempt, 6), 500));
        wait = wait.compareTo(e.delay()) < 0 ? e.delay() : wait;
        LockSupport.parkNanos((wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait).toNanos());
      }
    }
  }

  private static void requireTime(long end, String what, @Nullable Exception cause) {
    if (System.nanoTime() - end > 0) {
      throw new AssertionError("tried " + PATIENCE + " in vain " + what, cause);
    }
  }
}
