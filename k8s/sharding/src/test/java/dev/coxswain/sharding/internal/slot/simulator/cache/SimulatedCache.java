// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator.cache;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.selection.KnownNamespaces;
import dev.coxswain.k8s.internal.selection.SelectedWatch;
import dev.coxswain.k8s.internal.slots.MappedObject;
import dev.coxswain.k8s.internal.slots.SlotFilter;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import dev.coxswain.k8s.internal.slots.SlotSet;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.Slots;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cache of one replica: its reflector, its loader and its informer of namespaces, each of which takes its time. What it
 * selects, keeps and lists next is decided by the code of production.
 */
public final class SimulatedCache {

  private static final CacheKey<V1ConfigMap> KEY =
      new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", "");

  private final CacheProcess process;
  private final SimulatedObjects objects;
  private final CacheVariant variant;
  private final Random random;
  private final SlotSet kept;
  private final SlotFilter filter;
  private final KnownNamespaces known;
  private final SelectedWatch<V1ConfigMap> selected;
  private final SimulatedWatch watch;
  private final CacheLaw law;

  /** The last known state of each object, deletions too: a list and a watch are compared by versions. */
  private final Map<Request, State> store = new HashMap<>();

  private boolean synced;
  private long received;
  private long namesAt = -1;
  private int loads;
  private boolean obeyed;
  private String lacking = "";

  /** One state of an object. */
  record State(long version, boolean exists) {}

  /** What a list has brought, and at which version each namespace was listed. */
  private record Listed(Map<Request, Long> objects, Map<String, Long> at) {}

  public SimulatedCache(
      CacheProcess process,
      SimulatedObjects objects,
      CacheVariant variant,
      Slots slots,
      Random random) {
    this.process = process;
    this.objects = objects;
    this.variant = variant;
    this.random = random;
    this.kept = new SlotSet(slots);
    this.filter = new SlotFilter(kept, new UserCode("cache", KEY));
    this.known =
        new KnownNamespaces(
            Clock.system(), () -> true, () -> namesAt < 0 ? "" : String.valueOf(namesAt));
    known.close(); // its thread would act in real time: what it does is done here
    this.selected = new SelectedWatch<>(KEY, filter, known, this::stored);
    this.watch = new SimulatedWatch(selected);
    this.law = new CacheLaw(objects, filter, kept);
    filter.add(CacheUser.filtered("law", ObjectKeys.SELF));
    selected.start(() -> {});
  }

  private Set<String> stored() {
    return store.entrySet().stream()
        .filter(entry -> entry.getValue().exists())
        .map(entry -> entry.getKey().namespace())
        .collect(Collectors.toSet());
  }

  /** Begins to follow the server. */
  public void start() {
    later(1, 100, this::followNamespaces);
    later(1, 500, this::list);
    later(1, 100, this::loadMissing);
  }

  /** Keeps these slots from now on, and no others. */
  public void keep(Collection<Integer> slots) {
    BitSet now = kept.of(slots);
    BitSet released = (BitSet) kept.now().clone();
    released.andNot(now);
    kept.add(now);
    if (!released.isEmpty()) {
      kept.remove(released);
      filter.release(released);
      selected.released(released);
      later(0, 300, () -> store.keySet().removeIf(object -> !filter.keeps(mapped(object))));
    }
  }

  private void later(long from, long to, Runnable action) {
    process.later(from + random.nextLong(to - from), action);
  }

  private boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  private MappedObject mapped(Request object) {
    return filter.map(object, _ -> new JsonObject());
  }

  // The informer of namespaces

  private void followNamespaces() {
    long now = objects.version();
    if (process.isCut()) {
      later(100, 1_000, this::followNamespaces);
      return;
    }
    if (namesAt < 0) {
      objects.namespaces().forEach(known::added);
      namesAt = now;
      known.complete();
    } else {
      for (SimulatedObjects.Change change : objects.changes(namesAt, now)) {
        if (change.isOfNamespace() && change.exists()) {
          known.added(change.namespace());
        } else if (change.isOfNamespace()) {
          known.removed(change.namespace());
        }
      }
      namesAt = now;
    }
    later(50, chance(0.05) ? 10_000 : 400, this::followNamespaces);
  }

  // The reflector

  private void list() {
    synced = false;
    filter.listBegins();
    long seen = objects.version();
    listEach(
        () -> objects.namespaces().stream().filter(filter.namespacesOfList()::has).toList(),
        listed -> {
          store.clear();
          listed.objects.forEach((object, version) -> {
            if (filter.covers(mapped(object)) && filter.keeps(mapped(object))) {
              store.put(object, new State(version, true));
            }
          });
          filter.listed();
          received = seen;
          selected.listed();
          synced = true;
          follow();
        });
  }

  private void follow() {
    if (watch.isOpen()) {
      receive();
      law.check(process.now(), position(), store);
      if (chance(process.isCut() ? 0.3 : 0.02)) {
        watch.close();
      }
      later(20, 250, this::follow);
    } else if (process.isCut()) {
      later(100, 1_000, this::follow);
    } else if (!objects.isEnded() && chance(0.02)) {
      list(); // the version has expired
    } else {
      open();
      later(1, 100, this::follow);
    }
  }

  private void open() {
    obeyed = variant != CacheVariant.IGNORED && !(variant == CacheVariant.CHANGING && obeyed);
    watch.open(obeyed);
    lacking = "";
    if (variant == CacheVariant.LACKS_A_NAMESPACE) {
      List<String> needed =
          objects.namespaces().stream().filter(filter.namespacesKept()::has).toList();
      lacking = needed.isEmpty() ? "" : needed.get(random.nextInt(needed.size()));
    }
  }

  private void receive() {
    if (process.isCut()) {
      return;
    }
    long now = objects.version();
    long upTo = chance(0.7) ? now : received + random.nextLong(now - received + 1);
    for (SimulatedObjects.Change change : objects.changes(received, upTo)) {
      if (!change.isOfNamespace()
          && watch.sends(change.namespace())
          && !change.namespace().equals(lacking)) {
        received = change.version();
        if (filter.keeps(mapped(change.key()))) {
          put(change.key(), new State(change.version(), change.exists()));
        }
      }
    }
    if (chance(0.2)) {
      received = upTo; // a bookmark
    }
  }

  private void put(Request object, State state) {
    store.merge(object, state, (one, other) -> one.version() < other.version() ? other : one);
  }

  private String position() {
    return synced ? selected.position(String.valueOf(received)) : "";
  }

  // The loader

  private void loadMissing() {
    SlotLoad load = synced ? filter.beginLoad() : null;
    Map<String, Long> fresh = Map.of();
    if (load == null && synced) {
      fresh = selected.fresh();
      load = fresh.isEmpty() ? null : filter.beginLoad(fresh.keySet());
    }
    if (load == null) {
      later(100, 600, this::loadMissing);
    } else if (load.namespaces() != null && variant == CacheVariant.SKIPS_NEW_NAMESPACES) {
      filter.abandon();
      selected.loaded(fresh);
      later(100, 600, this::loadMissing);
    } else {
      load(load, fresh);
    }
  }

  private void load(SlotLoad load, Map<String, Long> fresh) {
    if (variant != CacheVariant.LOADS_UNCOVERED) {
      cover(load);
    }
    Set<String> some = load.namespaces();
    listEach(
        () ->
            some != null
                ? some
                : objects.namespaces().stream().filter(filter.namespacesOf(load)::has).toList(),
        listed -> {
          if (filter.load() == load) {
            store(load, listed);
            filter.loaded(load);
            loads++;
            if (some != null) {
              selected.loaded(fresh);
            }
            Set<String> brought = new HashSet<>();
            listed.objects.keySet().forEach(object -> brought.add(object.namespace()));
            selected.brought(brought);
            law.check(process.now(), position(), store);
          }
          later(1, 50, this::loadMissing);
        });
  }

  /** Does not wait: a watch is opened, and is seen to be closed, at once. */
  private void cover(SlotLoad load) {
    try {
      selected.cover(load);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  private void store(SlotLoad load, Listed listed) {
    listed.objects.forEach((object, version) -> {
      if (filter.loads(load, mapped(object))) {
        put(object, new State(version, true));
      }
    });
    store.replaceAll((object, state) -> {
      Long at = listed.at.get(object.namespace());
      boolean gone =
          state.exists()
              && at != null
              && state.version() <= at
              && !listed.objects.containsKey(object)
              && filter.isIn(load, mapped(object));
      return gone ? new State(at, false) : state;
    });
  }

  // Lists

  /** Lists namespaces one after the other, each at a time of its own; again when the server is not reached. */
  private void listEach(Supplier<Collection<String>> namespaces, Consumer<Listed> then) {
    later(
        1,
        60,
        () ->
            next(
                new ArrayDeque<>(namespaces.get()),
                new Listed(new HashMap<>(), new HashMap<>()),
                then));
  }

  private void next(Deque<String> names, Listed listed, Consumer<Listed> then) {
    @Nullable String name = process.isCut() ? null : names.poll();
    if (name != null) {
      listed.objects.putAll(objects.objects(name));
      listed.at.put(name, objects.version());
    }
    if (names.isEmpty()) {
      later(1, 60, () -> then.accept(listed));
    } else {
      later(1, process.isCut() ? 500 : 60, () -> next(names, listed, then));
    }
  }

  // Results

  /** Returns what breaks the law, the first one first. */
  public List<String> violations() {
    return law.violations();
  }

  /** Returns how often the law was checked at a known version. */
  public int checks() {
    return law.checks();
  }

  /** Returns how many watches were opened with a selector. */
  public int selections() {
    return watch.selections();
  }

  /** Returns how many loads there were of slots, or of new namespaces. */
  public int loads() {
    return loads;
  }

  @Override
  public String toString() {
    return "complete %s, position %s of %d, received %d, names %d, new %s, load %s, synced %s, open %s, cut %s"
        .formatted(
            filter.isComplete(),
            position(),
            objects.version(),
            received,
            namesAt,
            selected.fresh(),
            filter.load(),
            synced,
            watch.isOpen(),
            process.isCut());
  }

  /** Returns whether it has everything that the server has by now, in the slots that it keeps. */
  public boolean isUpToDate() {
    return filter.isComplete()
        && position().equals(String.valueOf(objects.version()))
        && law.violations().isEmpty();
  }

  /** Returns the objects with their versions. */
  public Map<Request, Long> contents() {
    return store.entrySet().stream()
        .filter(entry -> entry.getValue().exists())
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().version()));
  }

  /** Ends it with its process. */
  public void close() {
    watch.close();
  }
}
