// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.cache.Snapshot;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.internal.slots.MappedObject;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testkit.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The laws of delivery under random interleavings of writes, lost connections, relists, resyncs,
 * listeners that come and go, and slow ones; all on one thread, so that a seed is one history.
 */
class ListenerQueueModelTest {

  private static final int HISTORIES = 60;
  private static final int STEPS = 300;
  private static final CacheKey<V1ConfigMap> KEY =
      new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", "");

  private record State(String uid, long version) {}

  @Test
  void everyListenerHearsEveryDifferenceOnce_inOrder_andEndsUpWithTheTruth() {
    for (int i = 0; i < HISTORIES; i++) {
      new History(20_261_121 + i, false).play();
    }
  }

  /** With an index that fails now and then, for instance. */
  @Test
  void everyListenerThatRefusesForAWhile_hearsEveryDifferenceOnce_andEndsUpWithTheTruth() {
    for (int i = 0; i < HISTORIES; i++) {
      new History(20_261_123 + i, true).play();
    }
  }

  /** One listener and everything delivered to it. */
  private static final class Listener implements ObjectListener<V1ConfigMap> {
    final Map<Request, State> told = new HashMap<>();
    final Set<String> incarnations = new HashSet<>();
    final Map<Request, State> initial = new HashMap<>();

    /** The newest incarnation of each name that the cache has held since this listener came. */
    final Map<Request, String> newest = new HashMap<>();

    final History history;
    final ListenerQueue<V1ConfigMap> delivery;
    boolean checkedSynced;

    Listener(History history) {
      this.history = history;
      this.delivery = new ListenerQueue<>("model", V1ConfigMap.class, this, 1, history.time);
    }

    @Override
    public void onEvent(ObjectEvent<V1ConfigMap> event) {
      if (history.refusing && history.random.nextInt(4) == 0) {
        throw refusal();
      }
      // What a listener throws is caught and logged, so faults are collected.
      try {
        take(event);
      } catch (RuntimeException | AssertionError e) {
        history.faults.add(event + ": " + e.getMessage());
      }
    }

    private static RuntimeException refusal() {
      RuntimeException refusal =
          new Index<V1ConfigMap>("model", map -> List.of()).failed("an object", 1, null);
      refusal.setStackTrace(new StackTraceElement[0]); // it is logged often
      return refusal;
    }

    private void take(ObjectEvent<V1ConfigMap> event) {
      State now = state(event.object());
      State known = told.get(event.key());
      switch (event.kind()) {
        case ADDED -> {
          assertThat(known).as("known before it was added").isNull();
          told.put(event.key(), now);
          incarnations.add(now.uid);
        }
        case UPDATED -> {
          assertThat(event.before().map(ListenerQueueModelTest::state)).contains(known);
          assertThat(now.uid).isEqualTo(Objects.requireNonNull(known).uid);
          assertThat(event.trigger())
              .as("a change is an event, no change is a resync")
              .isEqualTo(now.version == known.version ? Trigger.RESYNC : Trigger.EVENT);
          assertThat(now.version).isGreaterThanOrEqualTo(known.version);
          told.put(event.key(), now);
        }
        case DELETED -> {
          Objects.requireNonNull(known, "unknown when it was deleted");
          assertThat(now).as("last known state").isEqualTo(history.lastKnown.get(known.uid));
          told.remove(event.key());
        }
      }
    }

    void deliverNext() {
      delivery.deliverNext();
      if (delivery.synced().isComplete() && !checkedSynced) {
        checkedSynced = true;
        initial.forEach((key, state) -> {
          // A refused event is delivered later and does not delay the others.
          if (!history.refuses
              && !incarnations.contains(state.uid)
              && state.uid.equals(history.cachedUid(key))) {
            history.faults.add("synced before " + key + " was told");
          }
        });
      }
    }
  }

  /** A server, a cache that follows it as a reflector would, and listeners. */
  private static final class History {
    final long seed;
    final SplittableRandom random;
    final VirtualTime time = new VirtualTime();
    final Informer<V1ConfigMap> cache = new Informer<>(KEY, time, null, null);
    final Map<Request, State> server = new LinkedHashMap<>();
    final Map<String, State> lastKnown = new HashMap<>();
    final List<Listener> listeners = new ArrayList<>();
    final List<String> faults = new ArrayList<>();
    boolean connected;
    boolean listed;
    final boolean refuses;
    boolean refusing;
    long version;

    History(long seed, boolean refuses) {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.refuses = refuses;
      this.refusing = refuses;
    }

    void play() {
      for (int i = 0; i < STEPS && faults.isEmpty(); i++) {
        step();
        noteNewest();
        checkBacklogs();
      }
      relist();
      noteNewest();
      refusing = false;
      for (Listener listener : listeners) {
        time.advance(Duration.ofMinutes(1));
        while (listener.delivery.backlog() > 0) {
          listener.deliverNext();
        }
        assertThat(listener.told).as("seed %s: what a listener knows", seed).isEqualTo(server);
        assertThat(listener.delivery.synced().succeeded()).as("seed %s", seed).isTrue();
        assertThat(listener.delivery.problem()).as("seed %s", seed).isEmpty();
        assertThat(listener.incarnations)
            .as("seed %s: what came, also what went before it was told", seed)
            .containsAll(listener.newest.values());
      }
      assertThat(faults).as("seed %s", seed).isEmpty();
      assertThat(cached()).as("seed %s: what the cache holds", seed).isEqualTo(server);
    }

    private void step() {
      switch (random.nextInt(16)) {
        case 0, 1, 2, 3 -> write();
        case 4, 5 -> delete();
        case 6 -> connected = false;
        case 7 -> relist();
        case 8 -> attach();
        case 9 -> {
          if (!listeners.isEmpty() && random.nextInt(4) == 0) {
            cache.detach(listeners.remove(random.nextInt(listeners.size())).delivery);
          }
        }
        case 10 -> {
          if (!listeners.isEmpty()) {
            cache.resync(any().delivery);
          }
        }
        default -> {
          if (!listeners.isEmpty()) {
            Listener listener = any();
            time.advance(Duration.ofMillis(random.nextInt(40)));
            for (int n = random.nextInt(8); n > 0; n--) {
              listener.deliverNext();
            }
          }
        }
      }
    }

    private Listener any() {
      return listeners.get(random.nextInt(listeners.size()));
    }

    private Request anyKey() {
      return Request.of("ns" + random.nextInt(2), "x" + random.nextInt(5));
    }

    private void write() {
      Request key = anyKey();
      State old = server.get(key);
      version++;
      State now = new State(old == null ? "u" + version : old.uid, version);
      server.put(key, now);
      if (connected) {
        lastKnown.put(now.uid, now);
        cache.updates().put(MappedObject.unmapped(key), entry(key, now));
      }
    }

    private void delete() {
      Request key = anyKey();
      State old = server.remove(key);
      version++;
      if (old != null && connected) {
        State last = new State(old.uid, version);
        lastKnown.put(old.uid, last);
        // A tombstone that cannot be read leaves the state before.
        boolean readable = random.nextInt(4) > 0;
        if (!readable) {
          lastKnown.put(old.uid, old);
        }
        cache
            .updates()
            .remove(MappedObject.unmapped(key), "" + version, readable ? entry(key, last) : null);
      }
    }

    private void relist() {
      Snapshot snapshot = new Snapshot();
      server.forEach((key, state) -> {
        lastKnown.put(state.uid, state);
        snapshot.put(new Entry.Keyed(key, entry(key, state)));
      });
      cache.replace(snapshot);
      connected = true;
      if (!listed) {
        listed = true;
        listeners.forEach(listener -> listener.initial.putAll(server));
      }
    }

    private void attach() {
      Listener listener = new Listener(this);
      listener.initial.putAll(cached());
      listeners.add(listener);
      cache.attach(listener.delivery);
    }

    private void noteNewest() {
      Map<Request, State> cached = cached();
      listeners.forEach(
          listener -> cached.forEach((key, state) -> listener.newest.put(key, state.uid)));
    }

    private void checkBacklogs() {
      for (Listener listener : listeners) {
        // One for each name that there has been, and the mark of the list's end.
        if (listener.delivery.backlog() > listener.newest.size() + 1) {
          faults.add("backlog of " + listener.delivery.backlog());
        }
      }
    }

    String cachedUid(Request key) {
      Entry entry = cache.find(key);
      return entry == null ? "" : entry.uid();
    }

    private Map<Request, State> cached() {
      Map<Request, State> cached = new HashMap<>();
      cache
          .entries()
          .forEach((namespace, names) ->
              names.forEach((name, entry) -> {
                Request key = new Request(namespace, name);
                cached.put(key, state(entry.decode(key, V1ConfigMap.class)));
              }));
      return cached;
    }
  }

  private static State state(V1ConfigMap map) {
    return new State(
        Objects.requireNonNull(ConfigMaps.meta(map).getUid()),
        Long.parseLong(Objects.requireNonNull(ConfigMaps.meta(map).getResourceVersion())));
  }

  private static Entry entry(Request key, State state) {
    JsonObject object =
        JsonParser.parseString(
                "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":\"%d\"}}"
                    .formatted(key.namespace(), key.name(), state.uid, state.version))
            .getAsJsonObject();
    return Entry.of(ReceivedObject.of(object), KEY).entry();
  }
}
