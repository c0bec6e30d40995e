// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.Subscription;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.internal.change.RecentWriters;
import dev.coxswain.k8s.internal.selection.KnownNamespaces;
import dev.coxswain.k8s.internal.selection.SelectedWatch;
import dev.coxswain.k8s.internal.slots.NamespaceLists;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The informers of the process: one per {@link CacheKey}, started by its first user and stopped
 * with its last.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class InformerRegistry implements AutoCloseable {

  private final ApiTransport transport;
  private final NamespaceLists namespaces;
  private final CacheOptions options;
  private final Clock clock;
  private final RecentWriters writers = new RecentWriters();
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<CacheKey<?>, Running<?>> running = new HashMap<>();
  private @Nullable KeptSlots slots;

  /** Which namespaces exist, while a cache selects by them. */
  private @Nullable NamespaceNames names;

  private int holds;
  private boolean closed;

  private static final class Running<T extends KubernetesObject> {
    final Informer<T> cache;
    final Reflector<T> reflector;
    final SlotLoader<T> loader;
    int users;

    /** The users that left while the caches are held. */
    final List<CacheUser> left = new ArrayList<>();

    Running(Informer<T> cache, Reflector<T> reflector, SlotLoader<T> loader) {
      this.cache = cache;
      this.reflector = reflector;
      this.loader = loader;
    }

    void stop() {
      reflector.stop();
      loader.stop();
      cache.watch().stop();
    }
  }

  /** The informer of namespaces, as long as other ones select by them. */
  private final class NamespaceNames {
    final InformerHandle<PartialObjectMetadata> handle =
        use(
            new CacheKey<>(ResourceType.of(V1Namespace.class).metadataOnly(), "", "", "")
                .inCluster(cluster()));
    final KnownNamespaces known = new KnownNamespaces(clock, handle::hasWatched, this::position);
    final Subscription subscription =
        handle.subscribe(
            "namespaces of watches", Thread.ofPlatform().daemon().factory(), this::changed);

    NamespaceNames() {
      subscription.synced().onSuccess(_ -> known.complete());
    }

    private void changed(ObjectEvent<PartialObjectMetadata> event) {
      switch (event.kind()) {
        case ADDED -> known.added(event.key().name());
        case DELETED -> known.removed(event.key().name());
        case UPDATED -> {}
      }
    }

    /** As for a source: what was in the cache by then has been delivered. */
    private String position() {
      String position = handle.position();
      return subscription.isIdle() ? position : "";
    }

    void close() {
      known.close();
      subscription.cancel().onComplete(_ -> handle.close());
    }
  }

  /**
   * Creates a registry without caches.
   *
   * @param transport the connection to the API server
   * @param options the options of the caches
   * @param clock the time
   */
  public InformerRegistry(ApiTransport transport, CacheOptions options, Clock clock) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.namespaces = new NamespaceLists(transport);
    this.options = Objects.requireNonNull(options, "options");
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  /** Returns the connection to the API server. */
  public ApiTransport transport() {
    return transport;
  }

  /** Returns the name of the cluster, empty for that of the host. */
  public String cluster() {
    return transport.options().cluster();
  }

  /** Returns the writers of recent versions, of which the informers deliver the events. */
  public RecentWriters writers() {
    return writers;
  }

  /**
   * Lets the informers of sharded controllers keep the objects of these slots only. Informers that
   * are running keep all objects.
   *
   * @throws IllegalStateException when slots were set before
   */
  public void keepOnly(KeptSlots kept) {
    lock.lock();
    try {
      if (slots != null) {
        throw new IllegalStateException("the kept slots can be set only once");
      }
      slots = kept;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a share of the informer of this key, starting it for the first user. All objects are
   * kept for it.
   *
   * @throws IllegalStateException after {@link #close}
   */
  public <T extends KubernetesObject> InformerHandle<T> use(CacheKey<T> key) {
    return use(List.of(key), Set.of());
  }

  /** Returns a share of several informers, whose objects are all kept for it. */
  public <T extends KubernetesObject> InformerHandle<T> use(
      List<CacheKey<T>> keys, Set<Index<T>> indexes) {
    return use(keys, indexes, CacheUser.full("cache", "opened without a controller"), false);
  }

  /**
   * Returns a share of several informers of one resource, which are read and subscribed to as one.
   *
   * @param keys the caches; no object may be in two of them, as with one namespace each
   * @param indexes the indexes that can be queried
   * @param user what is needed of them
   * @param restricted whether a read of another namespace throws, because the deployment leaves out
   *     namespaces that were selected; otherwise it finds nothing
   * @throws IllegalStateException after {@link #close}
   */
  public <T extends KubernetesObject> InformerHandle<T> use(
      List<CacheKey<T>> keys, Set<Index<T>> indexes, CacheUser user, boolean restricted) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("name at least one cache");
    }
    CacheUser needs = slots() == null ? CacheUser.full(user.name(), user.reason()) : user;
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("no cache for " + keys + ": the caches have been closed");
      }
      List<Informer<T>> shares = new ArrayList<>();
      keys.forEach(key -> shares.add(share(key, needs)));
      return new InformerHandle<>(this, shares, indexes, needs, restricted);
    } finally {
      lock.unlock();
    }
  }

  private <T extends KubernetesObject> Informer<T> share(CacheKey<T> key, CacheUser user) {
    @SuppressWarnings("unchecked") // an equal key has the same class, so the same T
    Running<T> found = (Running<T>) running.get(key);
    if (found == null) {
      found = start(key, user);
      running.put(key, found);
    } else {
      found.cache.filter().add(user);
      found.cache.loadMissing();
    }
    found.users++;
    return found.cache;
  }

  private <T extends KubernetesObject> Running<T> start(CacheKey<T> key, CacheUser user) {
    Informer<T> cache = new Informer<>(key, clock, slots, namesFor(key));
    cache.filter().add(user);
    RandomGenerator random = RandomGenerator.getDefault();
    Reflector<T> reflector = new Reflector<>(transport, namespaces, cache, options, clock, random);
    SlotLoader<T> loader =
        new SlotLoader<>(transport, namespaces, cache, reflector, options, clock, random);
    cache.loadWith(loader::wake);
    if (slots != null) {
      slots.add(cache);
    }
    // A platform thread: user code can hold all carriers of virtual ones, and no watch would go on.
    Thread.ofPlatform().daemon().name("coxswain-reflect " + key).start(reflector);
    return new Running<>(cache, reflector, loader);
  }

  /** Returns the namespaces by which the watches of a cache select, which is one of their users then. */
  private @Nullable KnownNamespaces namesFor(CacheKey<?> key) {
    if (slots == null || !slots.kept().isByNamespace() || !SelectedWatch.isPossible(key)) {
      return null;
    }
    NamespaceNames present = names == null ? new NamespaceNames() : names;
    names = present;
    return present.known;
  }

  private void stopped() {
    NamespaceNames present = names;
    if (present != null
        && running.values().stream().noneMatch(one -> one.cache.watch().selects())) {
      names = null;
      present.close();
    }
  }

  Clock clock() {
    return clock;
  }

  private @Nullable KeptSlots slots() {
    lock.lock();
    try {
      return slots;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Keeps informers that lose their users until the result is run: a controller that is built again
   * finds the informers that it had. Running it again does nothing.
   */
  public Runnable hold() {
    lock.lock();
    try {
      holds++;
    } finally {
      lock.unlock();
    }
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (ended.compareAndSet(false, true)) {
        endHold();
      }
    };
  }

  private void endHold() {
    List<Informer<?>> stopped = new ArrayList<>();
    KeptSlots stoppedFor;
    lock.lock();
    try {
      stoppedFor = slots;
      if (--holds == 0) {
        for (Running<?> one : List.copyOf(running.values())) {
          List<CacheUser> left = List.copyOf(one.left);
          one.left.clear();
          left.forEach(user -> left(one, user, stopped));
        }
      }
    } finally {
      lock.unlock();
    }
    if (stoppedFor != null) {
      stopped.forEach(stoppedFor::remove);
    }
  }

  void release(Informer<?> cache, CacheUser user) {
    List<Informer<?>> stopped = new ArrayList<>();
    KeptSlots stoppedFor;
    lock.lock();
    try {
      stoppedFor = slots;
      Running<?> found = running.get(cache.key());
      if (found == null || found.cache != cache) {
        return;
      }
      found.users--;
      if (holds > 0) {
        found.left.add(user);
      } else {
        left(found, user, stopped);
      }
    } finally {
      lock.unlock();
    }
    if (stoppedFor != null) {
      stopped.forEach(stoppedFor::remove);
    }
  }

  /** A user has left an informer, which stops without users; under the lock. */
  private void left(Running<?> from, CacheUser user, List<Informer<?>> stopped) {
    Informer<?> cache = from.cache;
    if (from.users > 0) {
      if (cache.filter().remove(user)) {
        cache.released(new BitSet());
        cache.loadMissing();
      }
    } else if (running.remove(cache.key(), from)) {
      from.stop();
      stopped();
      stopped.add(cache);
    }
  }

  CacheStatus status(Informer<?> cache) {
    lock.lock();
    try {
      Running<?> found = running.get(cache.key());
      return cache.status(found != null && found.cache == cache ? found.users : 0);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the status of every running informer. */
  public List<CacheStatus> statuses() {
    lock.lock();
    try {
      List<CacheStatus> all = new ArrayList<>(running.size());
      running.values().forEach(one -> all.add(one.cache.status(one.users)));
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Stops all informers and ends their subscriptions. Handles keep returning the last state. */
  @Override
  public void close() {
    KeptSlots stoppedFor;
    List<Informer<?>> stopped = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      stoppedFor = slots;
      if (names != null) {
        names.known.close();
      }
      // Caches with users stay listed: a stopped cache that is in use is a problem to report.
      running
          .values()
          .forEach(one -> {
            one.stop();
            stopped.add(one.cache);
          });
    } finally {
      lock.unlock();
    }
    stopped.forEach(Informer::detachAll);
    if (stoppedFor != null) {
      stopped.forEach(stoppedFor::remove);
    }
  }
}
