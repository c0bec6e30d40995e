// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.coxswain.internal.thread.UserThreads;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.cache.Subscription;
import dev.coxswain.k8s.cache.ownwrites.ReadYourWritesLister;
import dev.coxswain.k8s.cache.ownwrites.RecentWrites;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.informer.InformerRegistry;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.slots.ClusterKeys;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.Acquisition;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.Presence;
import dev.coxswain.source.ShardedSink;
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A source of the events of one resource, with reads from the same cache. It supports the {@link
 * RequestAnnotations}.
 *
 * <p>Thread rule: started and stopped on the controller's event loop, read from any thread. Between
 * its start and its stop reads are served from memory; otherwise they throw.
 *
 * <p>In a sharded controller a source is filtered, unless its selection is {@link
 * KindSelection#full}: it holds the objects that map to requests of the slots of this replica. With
 * {@link Handlers#object} a read of another object throws {@link
 * dev.coxswain.k8s.cache.ForeignObjectException}. With a mapping to owners an absent object is not
 * among those of the own requests; it may exist. Lists throw, except those of {@link #owned}.
 *
 * @param <T> the class of the objects
 */
public final class KindSource<T extends KubernetesObject>
    implements EventSource<Request>, Lister<T> {

  private static final int READS_AT_ONCE = 4;
  private static final int EXAMINE_SECONDS = 2;

  private final InformerRegistry caches;
  private final CacheSelection<T> selection;
  private final EventPredicate<T> filter;
  private final EventHandler<T> handler;
  private final Duration resync;
  private final @Nullable RecentWrites ownWrites;
  private final UserCode userCode;
  private final AtomicLong filterFailures = new AtomicLong();
  private final AtomicLong handlerFailures = new AtomicLong();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Semaphore reading = new Semaphore(READS_AT_ONCE);

  // Set on the controller's event loop, read by reconcilers on their own threads.
  private volatile @Nullable InformerHandle<T> cache;
  private volatile @Nullable ReadYourWritesLister<T> lister;
  private volatile @Nullable Subscription subscription;
  private volatile @Nullable ShardedSink<Request> sink;
  private volatile boolean namesCluster;

  KindSource(
      InformerRegistry caches,
      CacheSelection<T> selection,
      EventPredicate<T> filter,
      EventHandler<T> handler,
      Duration resync,
      @Nullable RecentWrites ownWrites) {
    this.caches = caches;
    this.selection = selection;
    this.filter = filter;
    this.handler = handler;
    this.resync = resync;
    this.ownWrites = ownWrites;
    this.userCode = new UserCode("source", selection);
  }

  @Override
  public String describe() {
    return selection.toString();
  }

  @Override
  public Future<Void> start(EventSink<Request> to) {
    ShardedSink<Request> sink = ShardedSink.of(to);
    if (subscription != null) {
      return Future.failedFuture(
          new IllegalStateException("the source " + selection + " has been started before"));
    }
    InformerHandle<T> handle;
    try {
      namesCluster = handler.keys().orElse(null) instanceof ClusterKeys;
      handle = selection.open(caches, user(sink));
    } catch (Throwable e) {
      return Future.failedFuture(e);
    }
    try {
      lister = ownWrites == null ? null : ownWrites.over(handle);
    } catch (Throwable e) {
      handle.close();
      return Future.failedFuture(e);
    }
    cache = handle;
    this.sink = sink;
    Subscription started =
        handle.subscribe(describe(), UserThreads.of(sink.controller()), listener(sink, sink));
    subscription = started;
    if (!resync.isZero()) {
      Thread.ofVirtual()
          .name("coxswain-resync " + selection)
          .start(() -> resyncUntilStopped(started));
    }
    return started.synced();
  }

  /** Returns what this source needs of its caches. */
  private CacheUser user(ShardedSink<Request> to) {
    String controller = to.controller();
    String name =
        (controller.isEmpty() ? "" : "controller " + controller + ", ") + "source " + selection;
    if (!to.isSharded()) {
      return CacheUser.full(name, "the controller is not sharded");
    }
    if (selection.full()) {
      return CacheUser.full(name, "declared full()");
    }
    Optional<ObjectKeys> keys = handler.keys();
    return keys.isEmpty()
        ? CacheUser.full(name, "its handler does not map by metadata alone")
        : CacheUser.filtered(name, keys.get());
  }

  @Override
  public Future<Void> stop() {
    Subscription started = subscription;
    InformerHandle<T> handle = cache;
    if (started == null || handle == null) {
      return Future.succeededFuture();
    }
    cache = null;
    ReadYourWritesLister<T> pendingWrites = lister;
    if (pendingWrites != null) {
      pendingWrites.close();
    }
    stopped.countDown();
    return started.cancel().andThen((_, _) -> handle.close());
  }

  /** The position of several informers is the earliest one. */
  @Override
  public String position() {
    InformerHandle<T> handle = cache;
    Subscription started = subscription;
    if (handle == null || started == null) {
      return "";
    }
    // In this order: what was in the cache by then has been delivered.
    String position = handle.position();
    return started.isIdle() && !position.isEmpty() ? selection.positionPrefix() + position : "";
  }

  @Override
  public void redeliver(Acquisition<Request> acquired) {
    InformerHandle<T> handle = cache;
    ShardedSink<Request> to = sink;
    if (handle != null && to != null) {
      Runnable again =
          Redelivery.of(
              handle, selection.own(acquired), to, one -> listener(one, to), stopped, userCode);
      Thread thread = Objects.requireNonNull(UserThreads.of(to.controller()).newThread(again));
      thread.setName("coxswain-redelivery " + selection);
      thread.start();
    }
  }

  private ObjectListener<T> listener(EventSink<Request> to, ShardedSink<Request> controller) {
    return new SinkListener<>(
        to,
        filter,
        handler,
        userCode,
        controller::userCodeFailed,
        filterFailures,
        handlerFailures,
        caches.writers(),
        selection.keys().getFirst());
  }

  private void resyncUntilStopped(Subscription started) {
    boolean goesOn = true;
    while (goesOn) {
      try {
        goesOn = !stopped.await(NANOSECONDS.convert(resync), NANOSECONDS);
        if (goesOn) {
          started.resync();
        }
      } catch (Throwable e) {
        // Only stop() ends this; objects that were missed are in the next resync.
        userCode.failed("resync failed, retrying at the next interval", null, e);
      }
    }
  }

  @Override
  public boolean holds(Request request) {
    InformerHandle<T> handle = cache;
    return namesObjects()
        && handle != null
        && named(request).filter(handle.owned()::contains).isPresent();
  }

  /**
   * {@inheritDoc}
   *
   * <p>It is known when the requests name the watched objects.
   */
  @Override
  public Presence presence(Request request) {
    InformerHandle<T> handle = cache;
    Optional<Request> object = named(request);
    return !namesObjects() || handle == null || object.isEmpty()
        ? Presence.UNKNOWN
        : ObjectPresence.of(handle, selection, this::matters, object.get());
  }

  /**
   * {@inheritDoc}
   *
   * <p>An object that is not in the cache is read from the API server, for at most two seconds.
   */
  @Override
  public Future<Presence> examine(Request request) {
    Presence known = presence(request);
    if (known.state() != Presence.State.ABSENT || !reading.tryAcquire()) {
      return Future.succeededFuture(known);
    }
    return Future.fromCompletionStage(
        CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return ObjectPresence.read(
                        caches.transport(), selection, selection.require(request), known);
                  } finally {
                    reading.release();
                  }
                },
                task -> Thread.ofVirtual().name("coxswain-examine " + selection).start(task))
            .completeOnTimeout(known, EXAMINE_SECONDS, TimeUnit.SECONDS));
  }

  private boolean matters(ObjectEvent<T> event) {
    try {
      return filter.test(event);
    } catch (Throwable e) {
      return true; // user code: an event passes a predicate that throws
    } finally {
      userCode.clearInterrupt("predicate", event.key()); // this may be an event loop
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Supported when the requests name the watched objects. Labels are those of the cache: an
   * object whose labels a transform has removed has none. A source that is not running selects
   * nothing.
   *
   * @param labelSelector in the syntax of {@link LabelSelector#parse}
   */
  @Override
  public Optional<Predicate<Request>> selecting(String labelSelector) {
    if (!namesObjects()) {
      return Optional.empty();
    }
    LabelSelector selector = LabelSelector.parse(labelSelector);
    return Optional.of(request -> {
      InformerHandle<T> handle = cache;
      return handle != null
          && named(request).filter(object -> handle.contains(object, selector)).isPresent();
    });
  }

  /** Returns the object that a request of this source names; empty when it is one of another source. */
  private Optional<Request> named(Request request) {
    // An object of the host's cluster may have the same name.
    return namesCluster && request.cluster().isEmpty()
        ? Optional.empty()
        : selection.object(request);
  }

  private boolean namesObjects() {
    try {
      return handler.namesObjects();
    } catch (Throwable e) {
      userCode.failed("handler failed, assuming requests for other objects", null, e);
      return false;
    } finally {
      userCode.clearInterrupt("namesObjects", null);
    }
  }

  /** Returns how many events passed because the filter threw. */
  public long filterFailures() {
    return filterFailures.get();
  }

  /** Returns how many events were skipped because the handler threw. */
  public long handlerFailures() {
    return handlerFailures.get();
  }

  /** Returns the status of each cache of this source; empty when the source is not running. */
  public List<CacheStatus> statuses() {
    InformerHandle<T> handle = cache;
    return handle == null ? List.of() : handle.statuses();
  }

  @Override
  public Optional<String> problem() {
    return first(CacheStatus::problem, Subscription::problem);
  }

  @Override
  public Optional<String> failure() {
    return first(CacheStatus::failure, Subscription::failure);
  }

  @Override
  public boolean isWaiting() {
    return statuses().stream().anyMatch(cache -> !cache.synced() && cache.isWaiting());
  }

  private Optional<String> first(
      Function<CacheStatus, Optional<String>> ofCache,
      Function<Subscription, Optional<String>> ofSubscription) {
    Subscription started = cache == null ? null : subscription;
    return statuses().stream()
        .flatMap(status -> ofCache.apply(status).map(text -> status.name() + " " + text).stream())
        .findFirst()
        .or(() -> started == null ? Optional.empty() : ofSubscription.apply(started));
  }

  /**
   * {@inheritDoc}
   *
   * @param request the object; a source of a cluster accepts requests with and without its name
   * @throws IllegalArgumentException when the request names another cluster
   */
  @Override
  public Optional<T> get(Request request) {
    return reader().get(selection.require(request));
  }

  /**
   * {@inheritDoc}
   *
   * @param request the object, as for {@link #get}
   * @throws IllegalArgumentException when the request names another cluster
   */
  @Override
  public boolean contains(Request request) {
    return reader().contains(selection.require(request));
  }

  @Override
  public List<Request> keys() {
    return reader().keys();
  }

  @Override
  public List<T> list() {
    return reader().list();
  }

  @Override
  public List<T> list(String namespace) {
    return reader().list(namespace);
  }

  @Override
  public List<T> list(LabelSelector selector) {
    return reader().list(selector);
  }

  @Override
  public List<T> list(Index<T> index, String value) {
    return reader().list(index, value);
  }

  /** Returns whether its selection is {@link KindSelection#indexedBy} an index. */
  public boolean isIndexedBy(Index<T> index) {
    return selection.indexes().contains(index);
  }

  /**
   * Returns the reads of the objects that map to requests of slots that this replica keeps: lists of
   * a filtered source are possible here only. All objects when the source has all. It lasts until
   * the source stops.
   *
   * @throws IllegalStateException when the source is not running
   */
  public Lister<T> owned() {
    InformerHandle<T> handle = running();
    ReadYourWritesLister<T> pendingWrites = lister;
    return pendingWrites == null ? handle.owned() : pendingWrites.owned();
  }

  /** Returns the same without own writes that the cache has not received yet. */
  public Lister<T> received() {
    return running().owned();
  }

  private Lister<T> reader() {
    InformerHandle<T> handle = running();
    ReadYourWritesLister<T> pendingWrites = lister;
    return pendingWrites == null ? handle : pendingWrites;
  }

  private InformerHandle<T> running() {
    InformerHandle<T> handle = cache;
    if (handle == null) {
      throw new IllegalStateException(
          "the source "
              + selection
              + " is not running: add it to the controller with watches(...)");
    }
    return handle;
  }
}
