// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
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
final class SharedCache<T extends KubernetesObject> {

  private static final Logger log = LoggerFactory.getLogger(SharedCache.class);

  private final CacheKey<T> key;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();

  /** By namespace, then by name: the listing of a namespace is an index of its own. */
  private final Map<String, Map<String, Entry>> store = new ConcurrentHashMap<>();

  private final CacheProgress progress = new CacheProgress();
  private final Set<Delivery<T>> deliveries = new HashSet<>();
  private final AtomicLong undecodable = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong lists = new AtomicLong();
  private final AtomicLong watches = new AtomicLong();

  // Written by the reflector's thread, read by whoever asks for the status.
  private volatile boolean synced;
  private volatile CacheStatus.Phase phase = CacheStatus.Phase.STARTING;
  private volatile String lastError = "";
  private volatile @Nullable Instant lastContact;

  SharedCache(CacheKey<T> key, Clock clock) {
    this.key = key;
    this.clock = clock;
  }

  CacheKey<T> key() {
    return key;
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
        lastError,
        Optional.ofNullable(lastContact));
  }

  // Reading

  @Nullable Entry find(Request object) {
    Map<String, Entry> names = store.get(object.namespace());
    return names == null ? null : names.get(object.name());
  }

  Map<String, Map<String, Entry>> entries() {
    return store;
  }

  // Listening

  /** Adds a delivery, which begins with everything that is there now. */
  void attach(Delivery<T> delivery) {
    lock.lock();
    try {
      if (delivery.isClosed()) {
        // Cancelled before its thread came here.
        return;
      }
      deliveries.add(delivery);
      offerAll(delivery, Trigger.INITIAL_LIST);
      if (synced) {
        delivery.markSynced();
      }
    } finally {
      lock.unlock();
    }
  }

  void detach(Delivery<T> delivery) {
    lock.lock();
    try {
      deliveries.remove(delivery);
      delivery.close();
    } finally {
      lock.unlock();
    }
  }

  /** Shows a delivery everything again. */
  void resync(Delivery<T> delivery) {
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

  private void offerAll(Delivery<T> delivery, Trigger trigger) {
    store.forEach((namespace, names) ->
        names.forEach((name, entry) ->
            delivery.offer(new Request(namespace, name), null, entry, entry, trigger)));
  }

  // Changing, on the reflector's thread

  /** Takes a complete list; what it does not have is gone, except what could not be read. */
  void replace(Map<Request, Entry> found, Set<Request> unreadable) {
    lists.incrementAndGet();
    heard();
    lock.lock();
    try {
      Trigger trigger = synced ? Trigger.EVENT : Trigger.INITIAL_LIST;
      found.forEach((object, entry) -> change(object, entry, trigger));
      for (Map.Entry<String, Map<String, Entry>> names : store.entrySet()) {
        for (String name : names.getValue().keySet()) {
          Request object = new Request(names.getKey(), name);
          if (!found.containsKey(object) && !unreadable.contains(object)) {
            forget(object, null);
          }
        }
      }
      if (!synced) {
        synced = true;
        deliveries.forEach(Delivery::markSynced);
      }
    } finally {
      lock.unlock();
    }
  }

  void put(Request object, Entry entry) {
    lock.lock();
    try {
      change(object, entry, Trigger.EVENT);
    } finally {
      lock.unlock();
    }
  }

  /** Removes an object; {@code last} is its final state if the server has sent one. */
  void remove(Request object, @Nullable Entry last) {
    lock.lock();
    try {
      forget(object, last);
    } finally {
      lock.unlock();
    }
  }

  private void change(Request object, Entry entry, Trigger trigger) {
    Map<String, Entry> names =
        store.computeIfAbsent(object.namespace(), namespace -> new ConcurrentHashMap<>());
    Entry before = names.put(object.name(), entry);
    bytes.addAndGet(entry.json().length - (before == null ? 0 : before.json().length));
    if (before != null
        && before.uid().equals(entry.uid())
        && !entry.resourceVersion().isEmpty()
        && before.resourceVersion().equals(entry.resourceVersion())) {
      return;
    }
    for (Delivery<T> delivery : deliveries) {
      delivery.offer(object, before, entry, entry, trigger);
    }
  }

  private void forget(Request object, @Nullable Entry last) {
    Map<String, Entry> names = store.get(object.namespace());
    Entry before = names == null ? null : names.remove(object.name());
    if (names == null || before == null) {
      return;
    }
    if (names.isEmpty()) {
      // Only the reflector's thread adds names, so nobody can be adding one now.
      store.remove(object.namespace());
    }
    bytes.addAndGet(-before.json().length);
    for (Delivery<T> delivery : deliveries) {
      delivery.offer(object, before, null, last == null ? before : last, Trigger.EVENT);
    }
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
      log.atInfo().addKeyValue("cache", key).log("cache is following the API server again");
    }
    lastError = "";
    phase = CacheStatus.Phase.WATCHING;
  }

  void waitingForApi(@Nullable String problem) {
    if (phase != CacheStatus.Phase.WAITING_FOR_API && lastError.isEmpty()) {
      log.atWarn()
          .addKeyValue("cache", key)
          .addKeyValue("problem", problem)
          .log("resource is not installed, waiting for it");
    }
    lastError = problem == null ? "not installed" : problem;
    phase = CacheStatus.Phase.WAITING_FOR_API;
  }

  void failed(Throwable cause, Duration wait) {
    if (lastError.isEmpty()) {
      log.atWarn()
          .addKeyValue("cache", key)
          .addKeyValue("problem", cause.getMessage())
          .addKeyValue("wait", wait)
          .log("cache lost the API server, trying again");
    } else {
      log.atDebug()
          .addKeyValue("cache", key)
          .addKeyValue("problem", cause.getMessage())
          .addKeyValue("wait", wait)
          .log("cache still without the API server");
    }
    lastError = cause.toString();
    phase = CacheStatus.Phase.BACKING_OFF;
  }

  void undecodable() {
    undecodable.incrementAndGet();
  }

  void stopped() {
    phase = CacheStatus.Phase.STOPPED;
  }
}
