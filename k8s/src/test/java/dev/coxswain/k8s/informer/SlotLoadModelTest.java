// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.informer.SlotLoadFixture.Listed;
import dev.coxswain.k8s.informer.SlotLoadFixture.Listing;
import dev.coxswain.k8s.internal.json.ReceivedEvent;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import dev.coxswain.reconcile.Request;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random interleavings of changes on the server, a watch that lags, loads, releases and relists,
 * against a plain model. In the end the informer holds what it has to, and each change of a request
 * of a kept slot has been delivered.
 */
class SlotLoadModelTest {

  private static final int SEEDS = 2_000;
  private static final int STEPS = 80;
  private static final int OBJECTS = 6;
  private static final long FIRST_SEED = Long.getLong("coxswain.seed", 20_261_124);

  private static final List<List<ObjectKeys>> MAPPINGS =
      List.of(
          List.of(ObjectKeys.SELF),
          List.of(SlotLoadFixture.OWNER),
          List.of(ObjectKeys.SELF, SlotLoadFixture.OWNER));

  /** What decides about slots, and so how a load is read. */
  private enum By {
    KEY,
    NAMESPACE,
    NAMESPACE_WITH_A_LATE_VERSION,
    NAMESPACE_WITHOUT_ITS_VERSION;

    SlotLoadFixture fixture(ObjectKeys... mappings) {
      return switch (this) {
        case KEY -> new SlotLoadFixture(mappings);
        case NAMESPACE -> new SlotLoadFixture(true, mappings);
        case NAMESPACE_WITH_A_LATE_VERSION ->
            new SlotLoadFixture(true, mappings) {
              @Override
              String versionOf(Listing listing) {
                return "" + version;
              }
            };
        case NAMESPACE_WITHOUT_ITS_VERSION ->
            new SlotLoadFixture(true, mappings) {
              @Override
              Map<String, String> namespaces(Map<String, String> listed) {
                return Map.of();
              }
            };
      };
    }
  }

  /** By namespace: the namespaces are listed one after the other, while objects change. */
  @ParameterizedTest
  @EnumSource(names = {"KEY", "NAMESPACE"})
  void noUpdateIsLost_andNothingIsBroughtBack_inAnyOrder(By by) {
    int merges = 0;
    for (int i = 0; i < SEEDS; i++) {
      Run run = new Run(FIRST_SEED + i, true, by);
      run.play();
      assertThat(run.fault).as("seed %s", run.seed).isNull();
      merges += run.merges;
    }
    assertThat(merges).as("loads that ended").isGreaterThan(SEEDS / 3);
  }

  /** Removed safeguard: the check sees what the side table prevents. */
  @Test
  void withoutTheSideTable_aDeletedObjectComesBack() {
    Run run;
    int i = 0;
    do {
      run = new Run(FIRST_SEED + i++, false, By.KEY);
      run.play();
    } while (run.fault == null && i < SEEDS);

    assertThat(run.fault).isNotNull();
  }

  /** Removed safeguard: a version that is later than the first list hides what came between. */
  @Test
  void theVersionAfterTheLists_insteadOfTheOneBefore_isFound() {
    assertThat(firstFault(By.NAMESPACE_WITH_A_LATE_VERSION)).isNotNull();
  }

  /** Removed safeguard: the watch is behind the lists, and would store what was deleted meanwhile. */
  @Test
  void withoutTheVersionsOfTheNamespaces_aDeletedObjectComesBack() {
    assertThat(firstFault(By.NAMESPACE_WITHOUT_ITS_VERSION)).contains("came back");
  }

  private static @Nullable String firstFault(By by) {
    String fault = null;
    for (int i = 0; fault == null && i < SEEDS; i++) {
      Run run = new Run(FIRST_SEED + i, true, by);
      run.play();
      fault = run.fault;
    }
    return fault;
  }

  private static final class Run {
    final long seed;
    final SplittableRandom random;
    final boolean table;
    final SlotLoadFixture informer;

    /** The position of the watch when each slot was kept. */
    final Map<Integer, Integer> keptSince = new HashMap<>();

    /** The version up to which each request has been delivered. */
    final Map<Request, Long> delivered = new HashMap<>();

    /** By namespace: the version of the list of each slot that is in the store. */
    final Map<Integer, Long> storedAt = new HashMap<>();

    @Nullable SlotLoad load;
    @Nullable Listing listing;
    @Nullable Listed listed;
    @Nullable String fault;
    int merges;

    Run(long seed, boolean table, By by) {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.table = table;
      List<ObjectKeys> mappings = MAPPINGS.get(random.nextInt(MAPPINGS.size()));
      informer = by.fixture(mappings.toArray(new ObjectKeys[0]));
    }

    void play() {
      for (int i = 0; i < STEPS && fault == null; i++) {
        step();
      }
      while (fault == null && informer.watched < informer.watch.size()) {
        watch();
      }
      informer.evict();
      finishLoads();
      if (fault == null && !informer.stored().equals(informer.expected())) {
        fault = "stored " + informer.stored() + ", expected " + informer.expected();
      }
      if (fault == null && !informer.cache.filter().isComplete()) {
        fault = "incomplete";
      }
    }

    private void finishLoads() {
      if (listed != null) {
        merge();
      }
      load = null;
      listing = null;
      for (SlotLoad next = informer.begin(); next != null; next = informer.begin()) {
        informer.merge(informer.list(next));
      }
    }

    private void step() {
      switch (random.nextInt(14)) {
        case 0, 1, 2 -> informer.put(random.nextInt(OBJECTS), random.nextInt(-1, 8));
        case 3 -> informer.delete(random.nextInt(OBJECTS));
        case 4, 5, 6 -> watch();
        case 7 -> keep(random.nextInt(SlotLoadFixture.SLOTS));
        case 8 -> release(random.nextInt(SlotLoadFixture.SLOTS));
        case 9 -> informer.evict();
        case 10 -> relist();
        case 11 -> {
          if (load == null) {
            load = informer.begin();
          }
        }
        case 12 -> {
          if (load != null && listed == null) {
            list(load);
          }
        }
        default -> {
          if (listed != null) {
            merge();
          }
        }
      }
    }

    private void list(SlotLoad of) {
      if (!informer.byNamespace) {
        listed = informer.list(of);
        return;
      }
      Listing begun = listing;
      if (begun == null || begun.load() != of) {
        listing = informer.listing(of);
      } else {
        listed = informer.listNext(begun);
      }
    }

    private void keep(int slot) {
      informer.keep(slot);
      keptSince.putIfAbsent(slot, informer.watched);
    }

    private void release(int slot) {
      informer.release(slot);
      keptSince.remove(slot);
      storedAt.remove(slot);
      delivered.keySet().removeIf(request -> informer.kept.kept().slotOf(request) == slot);
    }

    private void relist() {
      if (random.nextInt(4) == 0) {
        informer.requests.clear();
        if (informer.byNamespace) {
          informer.relistNamespaces(() -> {
            informer.put(random.nextInt(OBJECTS), random.nextInt(-1, 8));
            informer.delete(random.nextInt(OBJECTS));
          });
        } else {
          informer.relist();
        }
        storedAt.clear();
        storedAt.putAll(informer.listedAt);
        open(informer.kept.kept().now());
        // What happened between its two positions is not seen by any informer.
        keptSince.replaceAll((slot, position) -> informer.watched);
        listedUpTo(informer.version);
      }
    }

    private void merge() {
      Listed ended = java.util.Objects.requireNonNull(listed);
      if (!table) {
        SlotLoad fresh = informer.begin();
        ended =
            new Listed(
                fresh == null ? ended.load() : fresh,
                ended.objects(),
                ended.version(),
                ended.namespaces());
      }
      informer.requests.clear();
      if (informer.merge(ended)) {
        merges++;
        ended.load().slots().stream()
            .forEach(slot -> storedAt.put(slot, informer.listedAt.getOrDefault(slot, 0L)));
        expectNothingThatWasGone(ended);
        open(ended.load().slots());
        listedUpTo(Long.parseLong(ended.version()));
      }
      load = null;
      listing = null;
      listed = null;
    }

    /** The slots open now: an object that had gone before the list must not be there. */
    private void expectNothingThatWasGone(Listed ended) {
      informer
          .stored()
          .forEach((object, version) -> {
            Entry entry = java.util.Objects.requireNonNull(informer.cache.find(object));
            for (Request request : informer.keysOf(object, entry.metadata())) {
              int slot = informer.kept.kept().slotOf(request);
              long listed =
                  informer.byNamespace
                      ? informer.listedAt.getOrDefault(slot, 0L)
                      : Long.parseLong(ended.version());
              if (ended.load().slots().get(slot)
                  && Long.parseLong(version) <= listed
                  && isGoneAt(object, listed)) {
                fault =
                    object + " of " + version + " was gone at " + listed + ", when it was listed";
              }
            }
          });
    }

    private boolean isGoneAt(Request object, long version) {
      return informer.watch.stream()
          .filter(event -> Entry.keyOf(event.object()).equals(object))
          .takeWhile(event -> Long.parseLong(event.object().resourceVersion()) <= version)
          .reduce((_, later) -> later)
          .filter(last -> last.type().equals("DELETED"))
          .isPresent();
    }

    /** As a controller that opens the slots does: all that is held is delivered again. */
    private void open(BitSet slots) {
      informer
          .cache
          .entries()
          .forEach((namespace, names) ->
              names.forEach((name, entry) ->
                  informer.keysOf(new Request(namespace, name), entry.metadata()).stream()
                      .filter(key -> slots.get(informer.kept.kept().slotOf(key)))
                      .forEach(informer.requests::add)));
    }

    private void watch() {
      informer.requests.clear();
      int position = informer.watched;
      if (position == informer.watch.size()) {
        return;
      }
      Request object = Entry.keyOf(informer.watch.get(position).object());
      boolean absent = informer.cache.find(object) == null;
      ReceivedEvent event = java.util.Objects.requireNonNull(informer.watchNext());
      long version = Long.parseLong(event.object().resourceVersion());
      long listedAt = storedAt.getOrDefault(informer.kept.kept().slotOf(object), 0L);
      if (informer.byNamespace
          && absent
          && version <= listedAt
          && informer.cache.find(object) != null) {
        fault = object + " of " + version + " came back after a list of " + listedAt;
      }
      deliveredUpTo(version);
      for (Request request : new ArrayList<>(informer.keysOf(event.object()))) {
        Integer since = keptSince.get(informer.kept.kept().slotOf(request));
        if (since != null
            && since <= position
            && delivered.getOrDefault(request, 0L) < version
            && !isDeliveredLater(request, Entry.keyOf(event.object()))) {
          fault =
              "%s of %s was not delivered to %s"
                  .formatted(event.type(), Entry.keyOf(event.object()), request);
        }
      }
    }

    /** Returns whether an object is stored whose slot is not open yet. */
    private boolean isDeliveredLater(Request request, Request object) {
      Entry stored = informer.cache.find(object);
      return stored != null
          && !informer
              .cache
              .filter()
              .holds(SlotLoadFixture.slots(informer.kept.kept().slotOf(request)))
          && informer.keysOf(object, stored.metadata()).contains(request);
    }

    /** What was delivered is as of the list; by namespace each one has its own. */
    private void listedUpTo(long version) {
      for (Request request : informer.requests) {
        int slot = informer.kept.kept().slotOf(request);
        long listed = informer.byNamespace ? informer.listedAt.getOrDefault(slot, 0L) : version;
        delivered.merge(request, listed, Math::max);
      }
    }

    private void deliveredUpTo(long version) {
      informer.requests.forEach(request -> delivered.merge(request, version, Math::max));
    }
  }
}
