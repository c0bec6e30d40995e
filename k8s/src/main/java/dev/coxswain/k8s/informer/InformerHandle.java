// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.internal.thread.UserThreads;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheProgress;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ForeignObjectException;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.cache.ObjectVersion;
import dev.coxswain.k8s.cache.Subscription;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One user's share of an informer, or of several informers that are read as one. An informer stops
 * when its last share is closed.
 *
 * <p>Thread rule: any thread; nothing blocks.
 *
 * @param <T> the class of the objects
 */
public final class InformerHandle<T extends KubernetesObject> implements Lister<T>, AutoCloseable {

  private final InformerRegistry owner;
  private final List<Informer<T>> caches;
  private final Set<Index<T>> indexes;
  private final CacheUser user;
  private final boolean restricted;
  private final StoreReader<T> reader;
  private final Lister<T> owned;
  private final List<Consumer<BitSet>> releaseListeners = new CopyOnWriteArrayList<>();
  private final Set<ListenerQueue<T>> queues = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread indexing;

  InformerHandle(
      InformerRegistry owner,
      List<Informer<T>> caches,
      Set<Index<T>> indexes,
      CacheUser user,
      boolean restricted) {
    this.owner = owner;
    this.caches = List.copyOf(caches);
    this.indexes = Set.copyOf(indexes);
    this.user = user;
    this.restricted = restricted;
    this.reader = new StoreReader<>(name(), this.caches, this.indexes, null, this::requireWatched);
    ObjectKeys keys = user.keys();
    this.owned =
        keys == null
            ? this
            : new StoreReader<>(name(), this.caches, this.indexes, keys, this::requireWatched);
    // Filling it takes a while for a large store; until then readers scan all objects.
    this.indexing = thread("index", () -> eachIndex(Informer::addIndex));
    if (!indexes.isEmpty()) {
      indexing.start();
    }
  }

  /**
   * Delivers all present objects to {@code listener}, then every change.
   *
   * @param name the name of the listener, for logs
   * @param listener called on a virtual thread of its own
   */
  public Subscription subscribe(String name, ObjectListener<T> listener) {
    return subscribe(name, UserThreads.of(""), listener);
  }

  /**
   * Delivers all present objects to {@code listener}, then every change.
   *
   * @param name the name of the listener, for logs
   * @param threads makes the thread on which the listener is called. A listener that must be called
   *     while user code holds all carriers of virtual threads has a platform thread
   * @param listener called on that thread
   */
  public Subscription subscribe(String name, ThreadFactory threads, ObjectListener<T> listener) {
    if (closed.get()) {
      throw new IllegalStateException("the cache of " + name() + " has been closed");
    }
    ListenerQueue<T> queue =
        new ListenerQueue<>(name, type(), listener, caches.size(), owner.clock());
    Thread delivery =
        Objects.requireNonNull(threads.newThread(new DeliverySupervisor<>(queue, caches)));
    delivery.setName("coxswain-deliver " + name);
    delivery.start();
    queues.add(queue);
    if (closed.get()) {
      end(List.of(queue)); // closed meanwhile
    }
    return new Subscription() {
      @Override
      public Future<Void> synced() {
        return queue.synced();
      }

      @Override
      public int backlog() {
        return queue.backlog();
      }

      @Override
      public boolean isIdle() {
        return queue.isIdle();
      }

      @Override
      public Optional<String> problem() {
        return queue.problem();
      }

      @Override
      public Optional<String> failure() {
        return queue.failure();
      }

      @Override
      public void resync() {
        thread("resync", () -> caches.forEach(cache -> cache.resync(queue))).start();
      }

      @Override
      public Future<Void> cancel() {
        end(List.of(queue));
        return queue.ended();
      }
    };
  }

  private void end(List<ListenerQueue<T>> cancelled) {
    cancelled.forEach(queues::remove);
    thread("cancel", () -> cancelled.forEach(queue -> caches.forEach(cache -> cache.detach(queue))))
        .start();
  }

  private Thread thread(String what, Runnable action) {
    Thread thread =
        Objects.requireNonNull(UserThreads.of("").newThread(() -> run(what, action))); // of indexes
    thread.setName("coxswain-" + what + " " + name());
    return thread;
  }

  private void run(String what, Runnable action) {
    try {
      action.run();
    } catch (Throwable e) {
      // The future of this thread is not awaited: a failure that is not logged here is lost.
      new UserCode("cache", name()).failed("task of a cache failed: " + what, null, e);
    }
  }

  /**
   * Returns the key of the informer.
   *
   * @throws IllegalStateException when there are several informers
   */
  public CacheKey<T> key() {
    return only().key();
  }

  /** Returns the key of each informer; there are several with several namespaces. */
  public List<CacheKey<T>> selections() {
    return caches.stream().map(Informer::key).toList();
  }

  /** Returns the progress of one of the informers. */
  public CacheProgress progress(CacheKey<T> key) {
    return of(key).progress();
  }

  private Informer<T> of(CacheKey<T> key) {
    return caches.stream()
        .filter(cache -> cache.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no cache of " + key));
  }

  private Informer<T> only() {
    if (caches.size() > 1) {
      throw new IllegalStateException("there is no single cache of " + name());
    }
    return caches.getFirst();
  }

  /**
   * Returns the resource version up to which everything is in the cache; the earliest one of several
   * informers. Empty before the first list, and when versions cannot be compared.
   */
  public String position() {
    String earliest = caches.getFirst().position();
    for (Informer<T> cache : caches) {
      String version = cache.position();
      if (!Versions.comparable(earliest, version)) {
        return "";
      }
      earliest = Versions.reaches(version, earliest) ? earliest : version;
    }
    return earliest;
  }

  /** Returns whether changes are received, or were once: the right to list is not that to watch. */
  boolean hasWatched() {
    return caches.stream().allMatch(cache -> cache.reflector().watches() > 0);
  }

  /** Returns the version of an object in the cache, or null when it has none. */
  public @Nullable ObjectVersion version(Request object) {
    Entry entry = reader.find(object);
    return entry == null ? null : new ObjectVersion(entry.uid(), entry.resourceVersion());
  }

  private void dropIndexes() {
    try {
      indexing.join();
      eachIndex(Informer::dropIndex);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void eachIndex(BiConsumer<Informer<T>, Index<T>> action) {
    caches.forEach(cache -> indexes.forEach(index -> action.accept(cache, index)));
  }

  private Class<T> type() {
    return caches.getFirst().key().type().type();
  }

  private String name() {
    return caches.stream().map(cache -> cache.key().toString()).collect(Collectors.joining(", "));
  }

  /** Returns the status of each informer; there are several with several namespaces. */
  public List<CacheStatus> statuses() {
    return caches.stream().map(owner::status).toList();
  }

  /** Returns the status of the informer, or of the first one when there are several. */
  public CacheStatus status() {
    return owner.status(caches.getFirst());
  }

  /** Returns whether all caches have held a complete list at least once. */
  public boolean isSynced() {
    return caches.stream().allMatch(Informer::isSynced);
  }

  /**
   * Returns the reads of what belongs to the requests of kept slots: those that have no answer in a
   * filtered cache are possible here. All objects when this user needs all.
   */
  public Lister<T> owned() {
    return owned;
  }

  /**
   * Returns whether an object cannot be read by its name: it would be reconciled itself, and its
   * slot is not held.
   */
  public boolean isForeign(Request key) {
    return foreignSlot(key) >= 0;
  }

  /** Returns whether the slot of an object that is still foreign is kept, so that it is loaded now. */
  public boolean isLoading(Request key) {
    int slot = foreignSlot(key);
    return slot >= 0 && caches.stream().anyMatch(cache -> cache.filter().keepsSlot(slot));
  }

  private int foreignSlot(Request key) {
    ObjectKeys keys = user.keys();
    if (keys != null) {
      for (Informer<T> cache : caches) {
        String namespace = cache.key().namespace();
        if (namespace.isEmpty() || namespace.equals(key.namespace())) {
          return cache.filter().foreignSlot(keys, key);
        }
      }
    }
    return -1;
  }

  /** An empty answer about what the deployment leaves out would make a reconciler create or delete. */
  private void requireWatched(String namespace) {
    if (restricted
        && !namespace.isEmpty()
        && caches.stream().noneMatch(cache -> cache.key().namespace().equals(namespace))) {
      throw new IllegalStateException(
          "the cache of %s has nothing of namespace \"%s\", which this deployment does not watch: add it to watchNamespaces, or read with resource()"
              .formatted(name(), namespace));
    }
  }

  private StoreReader<T> readerOf(Request key) {
    int slot = foreignSlot(key);
    if (slot >= 0) {
      throw ForeignObjectException.of(name(), key, slot);
    }
    return reader;
  }

  private StoreReader<T> readerOfAll() {
    if (user.keys() != null) {
      throw ForeignObjectException.ofList(name());
    }
    return reader;
  }

  /**
   * Adds a listener for the release of slots of one of the informers, until this is closed.
   *
   * @param listener called on a virtual thread with a test for objects that were in a released slot
   *     and are in no other kept one; the test takes the name and the last state, null without one
   */
  public void onRelease(CacheKey<T> key, Consumer<BiPredicate<Request, @Nullable Entry>> listener) {
    Informer<T> cache = of(key);
    Consumer<BitSet> added =
        slots -> listener.accept((object, last) -> cache.filter().isIn(slots, object, last));
    releaseListeners.add(added);
    cache.addReleaseListener(added);
  }

  @Override
  public Optional<T> get(Request key) {
    return readerOf(key).get(key);
  }

  /** Returns an object as an initial list would deliver it; empty when it is not in the cache. */
  public Optional<ObjectEvent<T>> asListed(Request key) {
    Entry entry = reader.find(key);
    return entry == null
        ? Optional.empty()
        : Optional.of(
            new ObjectEvent<>(
                ObjectEvent.Kind.ADDED, key, null, entry, Trigger.INITIAL_LIST, type()));
  }

  @Override
  public boolean contains(Request key) {
    return readerOf(key).contains(key);
  }

  /** Returns whether an object with selected labels is in the cache; cheaper than reading it. */
  public boolean contains(Request key, LabelSelector selector) {
    Entry entry = reader.find(key);
    return entry != null && selector.matches(entry.labels());
  }

  @Override
  public List<Request> keys() {
    return readerOfAll().keys();
  }

  @Override
  public List<T> list() {
    return readerOfAll().list();
  }

  @Override
  public List<T> list(String namespace) {
    return readerOfAll().list(namespace);
  }

  @Override
  public List<T> list(LabelSelector selector) {
    return readerOfAll().list(selector);
  }

  @Override
  public List<T> list(Index<T> index, String value) {
    return readerOfAll().list(index, value);
  }

  /** Releases the informers, and cancels the subscriptions that are left. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      if (!indexes.isEmpty()) {
        thread("unindex", this::dropIndexes).start();
      }
      end(List.copyOf(queues));
      releaseListeners.forEach(only -> caches.forEach(cache -> cache.removeReleaseListener(only)));
      caches.forEach(cache -> owner.release(cache, user));
    }
  }
}
