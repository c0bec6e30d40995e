// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.cache.Query;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.internal.slots.LoadedObject;
import dev.coxswain.k8s.internal.slots.NamespaceLists;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads slots into a running informer by a consistent list, while its watch goes on. Foreign objects
 * are dropped while the list is read; with slots by namespace only the namespaces of the slots are read. A load that fails is repeated after a pause; slots that are
 * kept during a load are loaded by the next one.
 *
 * <p>When the versions of the resource cannot be compared, the reflector lists everything instead,
 * and delays its events for that time.
 *
 * <p>Thread rule: {@link #wake} and {@link #stop} on any thread; loads on a platform thread, one at a
 * time.
 */
final class SlotLoader<T extends KubernetesObject> {

  /** The number of objects that are stored before events of the watch have their turn. */
  private static final int BATCH = 256;

  private static final Logger log = LoggerFactory.getLogger(SlotLoader.class);

  private final ApiTransport transport;
  private final NamespaceLists namespaces;
  private final Informer<T> cache;
  private final Reflector<T> reflector;
  private final ReconnectBackoff backoff;
  private final WatchEventHandler<T> handler;
  private final AtomicInteger calls = new AtomicInteger();
  private final CountDownLatch stop = new CountDownLatch(1);

  /** Read by {@link #stop} on another thread to end a pause. */
  private volatile @Nullable Thread thread;

  SlotLoader(
      ApiTransport transport,
      NamespaceLists namespaces,
      Informer<T> cache,
      Reflector<T> reflector,
      CacheOptions options,
      Clock clock,
      RandomGenerator random) {
    this.transport = transport.cancellable();
    this.namespaces = namespaces;
    this.cache = cache;
    this.reflector = reflector;
    this.backoff =
        new ReconnectBackoff(options, clock, random, transport::answers, transport::probe);
    this.handler = new WatchEventHandler<>(cache);
  }

  /** Loads what is missing, soon. */
  void wake() {
    if (calls.getAndIncrement() == 0) {
      Thread.ofPlatform().daemon().name("coxswain-load " + cache.key()).start(this::run);
    }
  }

  void stop() {
    stop.countDown();
    transport.cancel();
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  private void run() {
    thread = Thread.currentThread();
    int served;
    do {
      served = calls.get();
      loadAll();
    } while (calls.addAndGet(-served) > 0);
  }

  private void loadAll() {
    SlotLoad load = isStopped() ? null : cache.beginLoad();
    while (load != null) {
      Duration pause = load(load);
      if (!pause.isZero()) {
        cache.filter().abandon();
        pause(pause);
      }
      load = isStopped() ? null : cache.beginLoad();
    }
  }

  private boolean isStopped() {
    return stop.getCount() == 0;
  }

  private void pause(Duration pause) {
    try {
      backoff.await(pause, stop);
    } catch (InterruptedException e) {
      // Only stop() interrupts, and it counts down before.
      cache.userCode().clearInterrupt("load", null);
    }
  }

  /** Loads once and returns how long to wait before the next load. */
  private Duration load(SlotLoad load) {
    backoff.whole();
    try {
      cache.watch().cover(load);
      List<LoadedObject> objects = new ArrayList<>();
      Map<String, String> listedAt = new HashMap<>();
      String version = list(load, objects, listedAt);
      if (!Versions.comparable(version, version) || load.isOverflowed()) {
        reflector.relist();
        return backoff.next();
      }
      store(load, objects, version, listedAt);
      return Duration.ZERO; // a load that was void begins again, after the list that made it so
    } catch (ApiStatusException e) {
      if (e.isNotFound()) {
        Duration wait = backoff.absent();
        if (!backoff.isRecovering()) {
          cache.absent();
        }
        return wait;
      }
      return afterFailure(e);
    } catch (Throwable e) {
      return afterFailure(e);
    }
  }

  private String list(SlotLoad load, List<LoadedObject> objects, Map<String, String> listedAt) {
    CacheKey<T> key = cache.key();
    NamespaceLists.Receiver receiver = new Loading(load, objects, listedAt);
    Set<String> some = load.namespaces();
    if (some != null) {
      return NamespaceLists.list(transport, key, some, receiver);
    }
    return namespaces
        .list(transport, key, cache.filter().namespacesOf(load), receiver)
        .orElseGet(() ->
            transport.list(
                key.type().path(key.namespace()),
                Query.selectors(key),
                key.type().acceptList(),
                objects::clear,
                receiver::item));
  }

  private void store(
      SlotLoad load, List<LoadedObject> objects, String version, Map<String, String> listedAt) {
    for (int from = 0; from < objects.size(); from += BATCH) {
      int end = Math.min(from + BATCH, objects.size());
      if (!cache.updates().merge(load, objects.subList(from, end))) {
        return;
      }
    }
    cache.loaded(new ObjectUpdates.ListedLoad(load, load.present(objects), version, listedAt));
  }

  /** Collects what a list sends, and the versions of the namespaces that were listed by themselves. */
  private final class Loading implements NamespaceLists.Receiver {
    private final SlotLoad load;
    private final List<LoadedObject> objects;
    private final Map<String, String> listedAt;

    Loading(SlotLoad load, List<LoadedObject> objects, Map<String, String> listedAt) {
      this.load = load;
      this.objects = objects;
      this.listedAt = listedAt;
    }

    @Override
    public void restart(String namespace) {
      objects.removeIf(object -> object.mapped().key().namespace().equals(namespace));
    }

    @Override
    public void item(ReceivedObject item) {
      handler.loaded(item, load, objects);
      if (!isStopped()) {
        cache.userCode().clearInterrupt("transform", null);
      }
    }

    @Override
    public void end(String namespace, String version) {
      listedAt.put(namespace, version);
    }

    @Override
    public void pause(Duration wait) {
      SlotLoader.this.pause(wait);
    }
  }

  private Duration afterFailure(Throwable cause) {
    if (isStopped()) {
      return Duration.ZERO;
    }
    Duration wait = backoff.next();
    cache.loadFailed("slots are not loaded: " + UserCode.text(cause));
    log.atWarn()
        .addKeyValue("cache", cache.key())
        .addKeyValue("problem", UserCode.text(cause))
        .addKeyValue("wait", wait)
        .log("load of slots failed, retrying");
    return wait;
  }
}
