// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.cache.Snapshot;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.NumberedSlots;
import dev.coxswain.k8s.internal.json.ReceivedEvent;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.internal.slots.LoadedObject;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A server, a filtered informer that follows it step by step, and loads of slots whose list and
 * merge are steps of their own. The objects are {@code a/o0} and so on, their owners {@code k0}; with
 * slots by namespace {@code n0/o0}, {@code n1/o1}.
 */
class SlotLoadFixture {

  static final int SLOTS = 4;

  static final CacheKey<V1ConfigMap> KEY =
      new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", "");

  /** The first owner of an object. */
  static final ObjectKeys OWNER =
      (object, metadata, requests) -> {
        if (metadata.get("ownerReferences") instanceof JsonArray owners) {
          JsonObject owner = owners.get(0).getAsJsonObject();
          requests.accept(new Request(object.namespace(), owner.get("name").getAsString()));
        }
      };

  /**
   * What a load has listed.
   *
   * @param namespaces the versions of the namespaces that were listed by themselves
   */
  record Listed(
      SlotLoad load, List<LoadedObject> objects, String version, Map<String, String> namespaces) {}

  /** A list of the namespaces of a load, of which some are left. */
  record Listing(SlotLoad load, List<LoadedObject> objects, String version, Deque<Integer> left) {}

  final boolean byNamespace;

  /** The version at which the namespace of each slot was listed last. */
  final Map<Integer, Long> listedAt = new HashMap<>();

  final KeptSlots kept;
  final Informer<V1ConfigMap> cache;
  final WatchEventHandler<V1ConfigMap> handler;
  final Map<Request, JsonObject> server =
      new TreeMap<>((one, other) -> one.toString().compareTo(other.toString()));
  final List<ReceivedEvent> watch = new ArrayList<>();
  final List<String> events = new ArrayList<>();

  /** The requests of the events. */
  final List<Request> requests = new ArrayList<>();

  final ListenerQueue<V1ConfigMap> queue;
  private final ObjectKeys[] mappings;
  long version = 100;
  int watched;

  SlotLoadFixture(ObjectKeys... mappings) {
    this(false, mappings);
  }

  SlotLoadFixture(boolean byNamespace, ObjectKeys... mappings) {
    this.byNamespace = byNamespace;
    this.kept = new KeptSlots(new NumberedSlots(SLOTS, byNamespace));
    this.cache = new Informer<>(KEY, Clock.system(), kept, null);
    this.handler = new WatchEventHandler<>(cache);
    this.mappings = mappings;
    for (ObjectKeys keys : mappings) {
      cache.filter().add(CacheUser.filtered("test", keys));
    }
    queue =
        new ListenerQueue<>(
            "test",
            V1ConfigMap.class,
            event -> {
              String value = ConfigMaps.value(event.object());
              events.add(event.kind() + " " + event.key() + "=" + value + " " + event.trigger());
              collect(event.key(), event.object());
              event.before().ifPresent(before -> collect(event.key(), before));
            },
            1,
            Clock.system());
    cache.attach(queue);
    relist();
  }

  private void collect(Request object, V1ConfigMap state) {
    V1ObjectMeta metadata = ConfigMaps.meta(state);
    List<V1OwnerReference> owners = metadata.getOwnerReferences();
    for (ObjectKeys keys : mappings) {
      if (keys.equals(ObjectKeys.SELF)) {
        requests.add(object);
      } else if (owners != null && !owners.isEmpty()) {
        requests.add(new Request(object.namespace(), owners.getFirst().getName()));
      }
    }
  }

  static Request object(int number) {
    return new Request("a", "o" + number);
  }

  static Request owner(int number) {
    return new Request("a", "k" + number);
  }

  static BitSet slots(int... which) {
    BitSet set = new BitSet();
    Arrays.stream(which).forEach(set::set);
    return set;
  }

  // The server

  private Request key(int number) {
    return byNamespace ? new Request("n" + number % SLOTS, "o" + number) : object(number);
  }

  /** Stores an object; {@code owner} below zero for none. */
  void put(int number, int owner) {
    Request key = key(number);
    JsonObject before = server.get(key);
    version++;
    JsonObject object =
        JsonParser.parseString(
                """
                {"apiVersion":"v1","kind":"ConfigMap",
                 "metadata":{"namespace":"%s","name":"%s","uid":"%s","resourceVersion":"%s"%s},
                 "data":{"v":"%s"}}\
                """
                    .formatted(
                        key.namespace(),
                        key.name(),
                        before == null ? "u" + version : uid(before),
                        version,
                        owner < 0
                            ? ""
                            : ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"k%s\",\"uid\":\"k\"}]"
                                .formatted(owner),
                        version))
            .getAsJsonObject();
    server.put(key, object);
    watch.add(new ReceivedEvent(before == null ? "ADDED" : "MODIFIED", ReceivedObject.of(object)));
  }

  void delete(int number) {
    JsonObject gone = server.remove(key(number));
    if (gone != null) {
      version++;
      JsonObject last = gone.deepCopy();
      last.getAsJsonObject("metadata").addProperty("resourceVersion", "" + version);
      watch.add(new ReceivedEvent("DELETED", ReceivedObject.of(last)));
    }
  }

  static String uid(JsonObject object) {
    return object.getAsJsonObject("metadata").get("uid").getAsString();
  }

  static String version(JsonObject object) {
    return object.getAsJsonObject("metadata").get("resourceVersion").getAsString();
  }

  // The informer

  /** Receives the next event of the watch; null when there is none. */
  @Nullable ReceivedEvent watchNext() {
    if (watched == watch.size()) {
      return null;
    }
    ReceivedEvent next = watch.get(watched++);
    handler.watched(next);
    deliver();
    return next;
  }

  void watchAll() {
    while (watched < watch.size()) {
      watchNext();
    }
  }

  /**
   * Lists the namespaces of the kept slots one after the other; the watch goes on from before.
   *
   * @param between is called before each
   */
  void relistNamespaces(Runnable between) {
    cache.listBegins();
    listedAt.clear();
    int position = watch.size();
    Snapshot snapshot = new Snapshot();
    for (int slot : kept.kept().now().stream().toArray()) {
      between.run();
      listedAt.put(slot, version);
      server.forEach((key, object) -> {
        if (kept.kept().slotOf(key) == slot) {
          handler.listed(ReceivedObject.of(object), snapshot);
        }
      });
    }
    between.run();
    Map<String, String> namespaces = new HashMap<>();
    listedAt.forEach((slot, at) -> namespaces.put("n" + slot, "" + at));
    namespaces(namespaces).forEach(snapshot::listed);
    cache.replace(snapshot);
    watched = position;
    deliver();
  }

  void relist() {
    cache.listBegins();
    Snapshot snapshot = new Snapshot();
    server.values().forEach(object -> handler.listed(ReceivedObject.of(object), snapshot));
    cache.replace(snapshot);
    watched = watch.size();
    deliver();
  }

  void deliver() {
    while (queue.backlog() > 0) {
      queue.deliverNext();
    }
  }

  /** Keeps slots without loading them. */
  void keep(int... which) {
    kept.kept().add(slots(which));
  }

  /** Releases slots; the eviction is a step of its own. */
  void release(int... which) {
    kept.kept().remove(slots(which));
    cache.filter().release(slots(which));
  }

  void evict() {
    cache.updates().evictForeign();
  }

  @Nullable SlotLoad begin() {
    return cache.beginLoad();
  }

  Listed list(SlotLoad load) {
    List<LoadedObject> objects = new ArrayList<>();
    server.values().forEach(object -> handler.loaded(ReceivedObject.of(object), load, objects));
    return new Listed(load, objects, "" + version, Map.of());
  }

  /** Begins a list of the namespaces of a load, of which there is one in each slot. */
  Listing listing(SlotLoad load) {
    Deque<Integer> left = new ArrayDeque<>();
    load.slots().stream().forEach(left::add);
    return new Listing(load, new ArrayList<>(), "" + version, left);
  }

  /** Lists the next namespace; returns the result after the last one. */
  @Nullable Listed listNext(Listing listing) {
    Integer slot = listing.left.poll();
    if (slot != null) {
      listedAt.put(slot, version);
      server.forEach((key, object) -> {
        if (kept.kept().slotOf(key) == slot) {
          handler.loaded(ReceivedObject.of(object), listing.load, listing.objects);
        }
      });
    }
    Map<String, String> namespaces = new HashMap<>();
    listing.load.slots().stream()
        .forEach(each -> namespaces.put("n" + each, "" + listedAt.getOrDefault(each, 0L)));
    return listing.left.isEmpty()
        ? new Listed(listing.load, listing.objects, versionOf(listing), namespaces(namespaces))
        : null;
  }

  /** Replaced to see that the versions of the namespaces matter. */
  Map<String, String> namespaces(Map<String, String> listed) {
    return listed;
  }

  /** Replaced to see that the version before all lists is the right one. */
  String versionOf(Listing listing) {
    return listing.version;
  }

  boolean merge(Listed listed) {
    boolean valid = cache.updates().merge(listed.load, listed.objects);
    boolean done =
        valid
            && cache.loaded(
                new ObjectUpdates.ListedLoad(
                    listed.load,
                    listed.load.present(listed.objects),
                    listed.version,
                    listed.namespaces));
    deliver();
    return done;
  }

  /** Keeps slots and loads them, without an event in between. */
  void load(int... which) {
    keep(which);
    SlotLoad load = begin();
    if (load != null) {
      merge(list(load));
    }
  }

  /** Returns the stored versions by object. */
  Map<Request, String> stored() {
    Map<Request, String> all = new HashMap<>();
    cache
        .entries()
        .forEach((namespace, names) ->
            names.forEach(
                (name, entry) -> all.put(new Request(namespace, name), entry.resourceVersion())));
    return all;
  }

  /** Returns what has to be stored. */
  Map<Request, String> expected() {
    Map<Request, String> all = new HashMap<>();
    server.forEach((key, object) -> {
      if (keysOf(object).stream().anyMatch(request -> isKept(request))) {
        all.put(key, version(object));
      }
    });
    return all;
  }

  boolean isKept(Request request) {
    return kept.isKept(request.namespace(), request.name());
  }

  /** Returns the requests of an object of the server. */
  List<Request> keysOf(JsonObject object) {
    return keysOf(ReceivedObject.of(object));
  }

  List<Request> keysOf(ReceivedObject object) {
    return keysOf(Entry.keyOf(object), object.metadata());
  }

  /** Returns the requests of an object. */
  List<Request> keysOf(Request key, JsonObject metadata) {
    List<Request> all = new ArrayList<>();
    for (ObjectKeys keys : mappings) {
      keys.of(key, metadata, all::add);
    }
    return all;
  }
}
