// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheProgress;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.Snapshot;
import dev.coxswain.k8s.cache.UndecodableObjectException;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.selection.KnownNamespaces;
import dev.coxswain.k8s.internal.selection.SelectedWatch;
import dev.coxswain.k8s.internal.slots.SlotFilter;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store of the objects of one {@link CacheKey}, with its listeners.
 *
 * <p>Thread rule: written by the threads of its reflector and its loader; read from any thread
 * without a lock. The lock makes a change of the store and its delivery to the listener queues atomic, so that a listener
 * that is added in between receives every object exactly once.
 */
final class Informer<T extends KubernetesObject> {

  private final CacheKey<T> key;
  private final UserCode userCode;
  private final ReentrantLock lock = new ReentrantLock();
  private final EntryStore store = new EntryStore();
  private final ReflectorStatus reflector;
  private final @Nullable KeptSlots slots;
  private final SlotFilter filter;
  private final SelectedWatch<T> watch;
  private final CacheProgress progress;
  private final Map<Index<T>, Indexer<T>> indexes = new ConcurrentHashMap<>();
  private final Set<ListenerQueue<T>> queues = new HashSet<>();
  private boolean detached;
  private final StoreWriter<T> writer = new StoreWriter<>(store, indexes, queues);
  private final ObjectUpdates<T> updates;
  private final AtomicLong undecodable = new AtomicLong();
  private final AtomicLong indexFailures = new AtomicLong();
  private final AtomicLong lists = new AtomicLong();

  /** The queues that have not received all objects that they need, under the lock. */
  private final Set<ListenerQueue<T>> unsynced = new HashSet<>();

  private final Set<Consumer<BitSet>> releaseListeners = ConcurrentHashMap.newKeySet();

  /** Written by the reflector's thread. */
  private volatile boolean synced;

  private volatile Runnable loader = () -> {};

  /** The namespaces of the load in progress; confined to the loader's thread. */
  private Map<String, Long> loading = Map.of();

  private final CountDownLatch firstSlots = new CountDownLatch(1);

  /** Whether the resource is not installed, so that there is nothing to load. */
  private volatile boolean absent;

  /** Why slots that are kept are not held; empty for no failure. */
  private volatile String loadError = "";

  /**
   * Creates an informer.
   *
   * @param slots the slots of a filtered informer; null when all objects are kept
   * @param known the namespaces by which its watches select; null when they do not
   */
  Informer(
      CacheKey<T> key, Clock clock, @Nullable KeptSlots slots, @Nullable KnownNamespaces known) {
    this.key = key;
    this.slots = slots;
    this.userCode = new UserCode("cache", key);
    this.filter = new SlotFilter(slots == null ? null : slots.kept(), userCode);
    this.watch = new SelectedWatch<>(key, filter, known, store.all()::keySet);
    this.progress = new CacheProgress(watch::misses);
    this.updates = new ObjectUpdates<>(lock, store, writer, filter);
    this.reflector = new ReflectorStatus(key, clock);
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

  /** Returns the status of the reflector, which writes it. */
  ReflectorStatus reflector() {
    return reflector;
  }

  CacheProgress progress() {
    return progress;
  }

  /** Returns the version up to which everything is in the store; empty while it is unknown. */
  String position() {
    return watch.position(progress.version());
  }

  /** Returns what its watches select. */
  SelectedWatch<T> watch() {
    return watch;
  }

  /** Returns what applies events. */
  ObjectUpdates<T> updates() {
    return updates;
  }

  /** Returns which objects are kept. */
  SlotFilter filter() {
    return filter;
  }

  /** Returns whether it has read a list and holds all objects that its users need. */
  boolean isSynced() {
    return synced && filter.isComplete();
  }

  CacheStatus status(int users) {
    return new CacheStatus(
        key.toString(),
        reflector.phase(),
        synced,
        store.size(),
        store.bytes(),
        users,
        lists.get(),
        reflector.watches(),
        undecodable.get(),
        indexFailures.get(),
        reflector.lastError().isEmpty() ? loadError : reflector.lastError(),
        reflector.lastContact(),
        filter.isFiltered(),
        filter.fullFor(),
        watch.status());
  }

  // Reading

  @Nullable Entry find(Request object) {
    return store.find(object);
  }

  Map<String, Map<String, Entry>> entries() {
    return store.all();
  }

  /**
   * Decodes a stored object for a reader.
   *
   * @throws UndecodableObjectException when it does not fit its class; it is counted, and reported by
   *     the attempt that fails
   */
  T decode(Request object, Entry entry) {
    try {
      return entry.decode(object, key.type().type());
    } catch (UndecodableObjectException e) {
      undecodable.incrementAndGet();
      throw e;
    }
  }

  /**
   * Returns the objects with a value in an index, or null while the index is being built.
   *
   * @throws Index.FailedException when the index function threw for some objects
   */
  @Nullable Map<Request, Entry> find(Index<T> index, String value) {
    Indexer<T> table = indexes.get(index);
    return table == null || !table.isComplete() ? null : table.find(value);
  }

  /** Adds a user of an index and builds it if needed; slow in a large cache. */
  void addIndex(Index<T> index) {
    lock.lock();
    try {
      Indexer<T> table = indexes.computeIfAbsent(index, added -> new Indexer<>(added, this));
      if (table.addUsers(1) == 1) {
        store.forEach(table::change);
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
      if (detached) {
        queue.close();
        return;
      }
      store.forEach(
          (object, entry) -> queue.offer(object, null, entry, entry, Trigger.INITIAL_LIST));
      // After everything that can fail: a queue that was not attached is attached again later.
      queues.add(queue);
      unsynced.add(queue);
      markSynced();
    } finally {
      lock.unlock();
    }
  }

  void detach(ListenerQueue<T> queue) {
    lock.lock();
    try {
      queues.remove(queue);
      unsynced.remove(queue);
      queue.close();
    } finally {
      lock.unlock();
    }
  }

  /** Ends all subscriptions, and those that come. */
  void detachAll() {
    lock.lock();
    try {
      detached = true;
      List.copyOf(queues).forEach(this::detach);
    } finally {
      lock.unlock();
    }
  }

  private void markSynced() {
    if (isSynced()) {
      unsynced.forEach(ListenerQueue::markSynced);
      unsynced.clear();
    }
  }

  /** Delivers all objects again. */
  void resync(ListenerQueue<T> queue) {
    lock.lock();
    try {
      if (queues.contains(queue)) {
        store.forEach((object, entry) -> queue.offer(object, entry, entry, entry, Trigger.RESYNC));
      }
    } finally {
      lock.unlock();
    }
  }

  // Changes, on the reflector's thread

  /** Applies a complete list. */
  void replace(Snapshot snapshot) {
    lists.incrementAndGet();
    reflector.onContact();
    boolean superfluous;
    lock.lock();
    try {
      updates.replace(snapshot, synced ? Trigger.EVENT : Trigger.INITIAL_LIST);
      superfluous = filter.listed();
      absent = false;
      loadError = "";
      synced = true;
      markSynced();
    } finally {
      lock.unlock();
    }
    if (superfluous) {
      released(new BitSet());
    }
    loadMissing();
    onLoaded();
  }

  /** An object was received that cannot be stored: it has no metadata, or the transform threw. */
  void skipped(@Nullable Request object, Throwable cause) {
    undecodable.incrementAndGet();
    userCode.failed("object cannot be read, skipping it", object, cause);
  }

  // Slots

  /** Sets what starts a load of the slots that are kept and not held; it must not block. */
  void loadWith(Runnable value) {
    loader = value;
    watch.start(this::loadMissing);
  }

  /** Waits until something is kept, at most {@code limit}. */
  void awaitFirstSlots(Duration limit) throws InterruptedException {
    if (filter.keepsNone()) {
      firstSlots.await(NANOSECONDS.convert(limit), NANOSECONDS);
    }
  }

  /** Loads what is kept and not held; not before the first list, which contains it. */
  void loadMissing() {
    if (!filter.keepsNone()) {
      firstSlots.countDown();
    }
    if (synced && (!filter.isComplete() || !watch.fresh().isEmpty())) {
      loader.run();
    }
  }

  private void onLoaded() {
    if (slots != null) {
      slots.onLoaded();
    }
  }

  /** Returns whether nothing has to be waited for, to hold these slots. */
  boolean hasLoaded(BitSet some) {
    return !synced || absent || filter.holds(some);
  }

  /** The resource is not installed: no slot has to wait for it. The next list or load ends that. */
  void absent() {
    absent = true;
    onLoaded();
  }

  /** A load has failed and is repeated. */
  void loadFailed(String problem) {
    loadError = problem;
  }

  /** Begins a load; null when there is nothing to load now. */
  @Nullable SlotLoad beginLoad() {
    lock.lock();
    try {
      SlotLoad load = filter.beginLoad();
      markSynced(); // what was missing may have been released
      return load == null ? beginLoadOfNamespaces() : load;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable SlotLoad beginLoadOfNamespaces() {
    Map<String, Long> fresh = watch.fresh();
    loading = fresh;
    return fresh.isEmpty() ? null : filter.beginLoad(fresh.keySet());
  }

  void listBegins() {
    progress.listBegins();
    filter.listBegins();
  }

  /** The objects of a load are in the store; false when the load is void. */
  boolean loaded(ObjectUpdates.ListedLoad listed) {
    SlotLoad load = listed.load();
    updates.forgetGone(listed);
    lock.lock();
    try {
      if (filter.load() != load || load.isOverflowed()) {
        return false;
      }
      updates.loaded(listed, progress.version());
      filter.loaded(load);
      lists.incrementAndGet();
      markSynced();
    } finally {
      lock.unlock();
    }
    if (load.namespaces() != null) {
      watch.loaded(loading);
    }
    watch.brought(listed.namespacesOfObjects());
    absent = false;
    loadError = "";
    onLoaded();
    return true;
  }

  /** Slots are not kept any more: their events are passed over from now on. */
  void release(BitSet some) {
    filter.release(some);
    watch.released(some);
  }

  /** Adds a listener for slots that are not kept any more. */
  void addReleaseListener(Consumer<BitSet> listener) {
    releaseListeners.add(listener);
  }

  void removeReleaseListener(Consumer<BitSet> listener) {
    releaseListeners.remove(listener);
  }

  /** Slots, or none, and perhaps objects of users that have gone, are not needed any more. */
  void released(BitSet some) {
    Thread.ofPlatform().daemon().name("coxswain-evict " + key).start(() -> evict(some));
  }

  private void evict(BitSet some) {
    try {
      releaseListeners.forEach(listener -> listener.accept(some));
      updates.evictForeign();
      lock.lock();
      try {
        markSynced();
      } finally {
        lock.unlock();
      }
    } catch (Throwable e) {
      // The future of this thread is not awaited: a failure that is not logged here is lost.
      userCode.failed("eviction failed, foreign objects stay in the cache", null, e);
    }
  }
}
