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
 * The store of the objects of one {@link CacheKey}, with its listeners.
 *
 * <p>Thread rule: written by its reflector's thread; read from any thread without a lock. The lock
 * makes a change of the store and its delivery to the listener queues atomic, so that a listener
 * that is added in between receives every object exactly once.
 */
final class Informer<T extends KubernetesObject> {

  private static final Logger log = LoggerFactory.getLogger(Informer.class);

  private final CacheKey<T> key;
  private final Clock clock;
  private final UserCode userCode;
  private final ReentrantLock lock = new ReentrantLock();

  /** By namespace, then by name, which is also the index of namespaces. */
  private final Map<String, Map<String, Entry>> store = new ConcurrentHashMap<>();

  /**
   * One String instance per namespace, under the lock. Work queues keep the keys they receive: a
   * String of its own would cost each key some 40 bytes, and each walk over them a cache miss.
   */
  private final Map<String, String> namespaces = new HashMap<>();

  private final CacheProgress progress = new CacheProgress();
  private final Map<Index<T>, Indexer<T>> indexes = new ConcurrentHashMap<>();
  private final Set<ListenerQueue<T>> queues = new HashSet<>();
  private final AtomicLong undecodable = new AtomicLong();
  private final AtomicLong indexFailures = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong lists = new AtomicLong();
  private final AtomicLong watches = new AtomicLong();

  /** A change that is in the store but not in all indexes and queues, under the lock. */
  private @Nullable StoredChange unpublished;

  // Written by the reflector's thread, read for the status.
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

  /** Returns the boundary to the transform, the class and the indexes of this informer. */
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
   * Returns the objects with a value in an index, or null while the index is being built.
   *
   * @throws Index.FailedException when the index function threw for some objects
   */
  @Nullable Collection<Entry> find(Index<T> index, String value) {
    Indexer<T> table = indexes.get(index);
    return table == null || !table.isComplete() ? null : table.find(value);
  }

  /** Adds a user of an index and builds it if needed; slow in a large cache. */
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

  /** Removes a user of an index, which is dropped with the last one. */
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

  // Listeners

  /** Adds a listener queue, starting with all present objects. */
  void attach(ListenerQueue<T> queue) {
    lock.lock();
    try {
      if (queue.isClosed()) {
        // Cancelled before its thread got here.
        return;
      }
      offerAll(queue, Trigger.INITIAL_LIST);
      // After everything that can fail: a queue that was not attached is attached again later.
      queues.add(queue);
      if (synced) {
        queue.markSynced();
      }
    } finally {
      lock.unlock();
    }
  }

  void detach(ListenerQueue<T> queue) {
    lock.lock();
    try {
      queues.remove(queue);
      queue.close();
    } finally {
      lock.unlock();
    }
  }

  /** Delivers all objects again. */
  void resync(ListenerQueue<T> queue) {
    lock.lock();
    try {
      if (queues.contains(queue)) {
        store.forEach((namespace, names) ->
            names.forEach((name, entry) ->
                queue.offer(new Request(namespace, name), entry, entry, entry, Trigger.RESYNC)));
      }
    } finally {
      lock.unlock();
    }
  }

  private void offerAll(ListenerQueue<T> queue, Trigger trigger) {
    store.forEach((namespace, names) ->
        names.forEach((name, entry) ->
            queue.offer(new Request(namespace, name), null, entry, entry, trigger)));
  }

  // Changes, on the reflector's thread

  /**
   * Applies a complete list; objects that it does not contain are removed, except unreadable ones.
   */
  void replace(Snapshot snapshot) {
    lists.incrementAndGet();
    onContact();
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
        queues.forEach(ListenerQueue::markSynced);
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

  /** Removes an object; {@code last} is its final state if the server sent one. */
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
      // Only the reflector's thread adds names, so none is added at the same time.
      store.remove(namespace);
      namespaces.remove(namespace);
    }
    bytes.addAndGet(-before.json().length);
    publish();
  }

  /**
   * Publishes the stored change to the indexes and listener queues. When that throws, for want of
   * memory, it is repeated before the next change: a list would find no difference.
   */
  private void publish() {
    StoredChange stored = unpublished;
    if (stored == null) {
      return;
    }
    indexes.values().forEach(index -> index.change(stored.object, stored.now));
    for (ListenerQueue<T> queue : queues) {
      queue.offer(stored.object, stored.before, stored.now, stored.last, stored.trigger);
    }
    unpublished = null;
  }

  // Status, on the reflector's thread

  void phase(CacheStatus.Phase value) {
    phase = value;
  }

  void onContact() {
    lastContact = clock.instant();
  }

  void watching() {
    watches.incrementAndGet();
    onContact();
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
