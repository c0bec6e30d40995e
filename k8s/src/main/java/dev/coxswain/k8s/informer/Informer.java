// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheProgress;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.Snapshot;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects of one {@link CacheKey} and those who want to hear of changes.
 *
 * <p>Thread rule: written by its reflector's thread; read from any thread without a lock. The lock
 * joins a change of the store with telling the deliveries, so that a listener that is added in
 * between sees every object exactly once.
 */
final class Informer<T extends KubernetesObject> {

  private static final Logger log = LoggerFactory.getLogger(Informer.class);

  private final CacheKey<T> key;
  private final Clock clock;
  private final UserCode userCode;
  private final ReentrantLock lock = new ReentrantLock();

  /** By namespace, then by name: the listing of a namespace is an index of its own. */
  private final Map<String, Map<String, Entry>> store = new ConcurrentHashMap<>();

  /**
   * The one String of each namespace in the store, under the lock. Work queues keep the keys that
   * they are told: a String of their own would cost each of them some 40 bytes, and each walk over
   * them a cache miss.
   */
  private final Map<String, String> namespaces = new HashMap<>();

  private final CacheProgress progress = new CacheProgress();
  private final Map<Index<T>, Indexer<T>> indexes = new ConcurrentHashMap<>();
  private final Set<ListenerQueue<T>> deliveries = new HashSet<>();
  private final AtomicLong undecodable = new AtomicLong();
  private final AtomicLong indexFailures = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong lists = new AtomicLong();
  private final AtomicLong watches = new AtomicLong();

  /** A change that is in the store and not everywhere else, under the lock. */
  private @Nullable StoredChange unpublished;

  // Written by the reflector's thread, read by whoever asks for the status.
  private volatile boolean synced;
  private volatile CacheStatus.Phase phase = CacheStatus.Phase.STARTING;
  private volatile String lastError = "";
  private volatile Instant lastContact;

  private record StoredChange(
      Request object, @Nullable Entry before, @Nullable Entry now, Entry last, Trigger trigger) {}

  Informer(CacheKey<T> key, Clock clock) {
    this.key = key;
    this.clock = clock;
    this.userCode = new UserCode("cache", key);
    this.lastContact = clock.instant();
  }

  CacheKey<T> key() {
    return key;
  }

  /** Returns the boundary to the transform, the class and the indexes of this cache. */
  UserCode userCode() {
    return userCode;
  }

  void indexFailed() {
    indexFailures.incrementAndGet();
  }

  CacheProgress progress() {
    return progress;
  }

  boolean isSynced() {
    return synced;
  }

  CacheStatus status(int users) {
    int objects = store.values().stream().mapToInt(Map::size).sum();
    return new CacheStatus(
        key.toString(),
        phase,
        synced,
        objects,
        bytes.get(),
        users,
        lists.get(),
        watches.get(),
        undecodable.get(),
        indexFailures.get(),
        lastError,
        lastContact);
  }

  // Reading

  @Nullable Entry find(Request object) {
    Map<String, Entry> names = store.get(object.namespace());
    return names == null ? null : names.get(object.name());
  }

  Map<String, Map<String, Entry>> entries() {
    return store;
  }

  /**
   * Returns what an index has under a value, or null while the index is being made.
   *
   * @throws Index.FailedException when there are objects that it threw at
   */
  @Nullable Collection<Entry> find(Index<T> index, String value) {
    Indexer<T> table = indexes.get(index);
    return table == null || !table.isComplete() ? null : table.find(value);
  }

  /** Adds a user of an index and makes it when there is none; takes a while in a large cache. */
  void addIndex(Index<T> index) {
    lock.lock();
    try {
      Indexer<T> table = indexes.computeIfAbsent(index, added -> new Indexer<>(added, this));
      if (table.addUsers(1) == 1) {
        store.forEach((namespace, names) ->
            names.forEach((name, entry) -> table.change(new Request(namespace, name), entry)));
        table.completed();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes away a user of an index, which goes with the last one. */
  void dropIndex(Index<T> index) {
    lock.lock();
    try {
      Indexer<T> table = indexes.get(index);
      if (table != null && table.addUsers(-1) == 0) {
        indexes.remove(index);
      }
    } finally {
      lock.unlock();
    }
  }

  // Listening

  /** Adds a delivery, which begins with everything that is there now. */
  void attach(ListenerQueue<T> delivery) {
    lock.lock();
    try {
      if (delivery.isClosed()) {
        // Cancelled before its thread came here.
        return;
      }
      offerAll(delivery, Trigger.INITIAL_LIST);
      // Behind what can fail: a delivery that could not be attached tries again.
      deliveries.add(delivery);
      if (synced) {
        delivery.markSynced();
      }
    } finally {
      lock.unlock();
    }
  }

  void detach(ListenerQueue<T> delivery) {
    lock.lock();
    try {
      deliveries.remove(delivery);
      delivery.close();
    } finally {
      lock.unlock();
    }
  }

  /** Shows a delivery everything again. */
  void resync(ListenerQueue<T> delivery) {
    lock.lock();
    try {
      if (deliveries.contains(delivery)) {
        store.forEach((namespace, names) ->
            names.forEach((name, entry) ->
                delivery.offer(new Request(namespace, name), entry, entry, entry, Trigger.RESYNC)));
      }
    } finally {
      lock.unlock();
    }
  }

  private void offerAll(ListenerQueue<T> delivery, Trigger trigger) {
    store.forEach((namespace, names) ->
        names.forEach((name, entry) ->
            delivery.offer(new Request(namespace, name), null, entry, entry, trigger)));
  }

  // Changing, on the reflector's thread

  /** Takes a complete list; what it does not have is gone, except what could not be read. */
  void replace(Snapshot snapshot) {
    lists.incrementAndGet();
    heard();
    lock.lock();
    try {
      publish();
      Trigger trigger = synced ? Trigger.EVENT : Trigger.INITIAL_LIST;
      snapshot.found().forEach((object, entry) -> change(object, entry, trigger));
      for (Map.Entry<String, Map<String, Entry>> names : store.entrySet()) {
        for (String name : names.getValue().keySet()) {
          Request object = new Request(names.getKey(), name);
          if (!snapshot.has(object)) {
            forget(object, null);
          }
        }
      }
      if (!synced) {
        synced = true;
        deliveries.forEach(ListenerQueue::markSynced);
      }
    } finally {
      lock.unlock();
    }
  }

  void put(Request object, Entry entry) {
    lock.lock();
    try {
      publish();
      change(object, entry, Trigger.EVENT);
    } finally {
      lock.unlock();
    }
  }

  /** Removes an object; {@code last} is its final state if the server has sent one. */
  void remove(Request object, @Nullable Entry last) {
    lock.lock();
    try {
      publish();
      forget(object, last);
    } finally {
      lock.unlock();
    }
  }

  private void change(Request changed, Entry entry, Trigger trigger) {
    String namespace = namespaces.computeIfAbsent(changed.namespace(), first -> first);
    Request object = new Request(namespace, changed.name());
    Map<String, Entry> names = store.computeIfAbsent(namespace, added -> new ConcurrentHashMap<>());
    Entry before = names.get(object.name());
    if (before != null && before.isSameVersionAs(entry)) {
      return;
    }
    StoredChange stored = new StoredChange(object, before, entry, entry, trigger);
    names.put(object.name(), entry);
    unpublished = stored;
    bytes.addAndGet(entry.json().length - (before == null ? 0 : before.json().length));
    publish();
  }

  private void forget(Request gone, @Nullable Entry last) {
    String namespace = namespaces.get(gone.namespace());
    Map<String, Entry> names = namespace == null ? null : store.get(namespace);
    Entry before = names == null ? null : names.get(gone.name());
    if (namespace == null || names == null || before == null) {
      return;
    }
    Request object = new Request(namespace, gone.name());
    Entry end = last == null ? before : last;
    StoredChange stored = new StoredChange(object, before, null, end, Trigger.EVENT);
    names.remove(gone.name());
    unpublished = stored;
    if (names.isEmpty()) {
      // Only the reflector's thread adds names, so nobody can be adding one now.
      store.remove(namespace);
      namespaces.remove(namespace);
    }
    bytes.addAndGet(-before.json().length);
    publish();
  }

  /**
   * Brings the change that is in the store into the indexes and to the deliveries. When that
   * throws, for want of memory, it is done again before the next change: a list would find no
   * difference.
   */
  private void publish() {
    StoredChange stored = unpublished;
    if (stored == null) {
      return;
    }
    indexes.values().forEach(index -> index.change(stored.object, stored.now));
    for (ListenerQueue<T> delivery : deliveries) {
      delivery.offer(stored.object, stored.before, stored.now, stored.last, stored.trigger);
    }
    unpublished = null;
  }

  // Telling how it goes, on the reflector's thread

  void phase(CacheStatus.Phase value) {
    phase = value;
  }

  void heard() {
    lastContact = clock.instant();
  }

  void watching() {
    watches.incrementAndGet();
    heard();
    if (!lastError.isEmpty()) {
      log.atInfo().addKeyValue("cache", key).log("watch restored");
    }
    lastError = "";
    phase = CacheStatus.Phase.WATCHING;
  }

  void waitingForApi(@Nullable String problem) {
    if (phase != CacheStatus.Phase.WAITING_FOR_API && lastError.isEmpty()) {
      log.atWarn()
          .addKeyValue("cache", key)
          .addKeyValue("problem", problem)
          .log("resource not installed, waiting for its definition");
    }
    lastError = problem == null ? "not installed" : problem;
    phase = CacheStatus.Phase.WAITING_FOR_API;
  }

  void failed(Throwable cause, Duration wait) {
    if (lastError.isEmpty()) {
      log.atWarn()
          .addKeyValue("cache", key)
          .addKeyValue("problem", UserCode.text(cause))
          .addKeyValue("wait", wait)
          .log("watch failed, retrying");
    } else {
      log.atDebug()
          .addKeyValue("cache", key)
          .addKeyValue("problem", UserCode.text(cause))
          .addKeyValue("wait", wait)
          .log("watch still failing, retrying");
    }
    lastError = UserCode.text(cause);
    phase = CacheStatus.Phase.BACKING_OFF;
  }

  void undecodable() {
    undecodable.incrementAndGet();
  }

  void stopped() {
    phase = CacheStatus.Phase.STOPPED;
  }
}
