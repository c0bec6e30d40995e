// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One process with its controllers, queues and caches.
 *
 * <p>Thread rule: the thread of the test, except {@link #listed}, {@link #opened} and {@link #isDead}.
 */
public final class TestReplica {

  private final RunDriver driver;
  private final String name;
  private final OwnTerm term;

  /** The slots by namespace; null when there is one slot for everything. */
  private final @Nullable NamespaceSlots slots;

  private final GatedThreads threads;
  private final Kubernetes own;
  private final Map<String, Running<?>> running = new LinkedHashMap<>();

  /** The watches by their key; guarded by itself. */
  private final Map<String, EventGate> gates = new TreeMap<>();

  /** The informers that have a list and no watch yet; guarded by the watches. */
  private final Set<Thread> opening = new HashSet<>();

  /**
   * The informers whose resource is not installed, with the time of their last request; guarded by
   * the watches.
   */
  private final Map<Thread, Long> absent = new HashMap<>();

  private final MeterRegistry meters = new SimpleMeterRegistry();

  private volatile boolean dead;

  private record Running<K>(Controller<K> controller, ControllerEngine<K> engine) {
    static <K> Running<K> of(
        RunDriver driver,
        TestReplica replica,
        Controller<K> controller,
        ControllerRuntime runtime) {
      Controller<K> observed = ObservedReconciler.of(driver, replica, controller);
      return new Running<>(
          observed, new ControllerEngine<>(observed, runtime, replica.threads.threads()));
    }

    boolean waitsForApi() {
      return engine.sources().stream()
          .anyMatch(source ->
              source instanceof KindSource<?> kind
                  && kind.statuses().stream()
                      .anyMatch(cache -> cache.phase() == CacheStatus.Phase.WAITING_FOR_API));
    }

    @SuppressWarnings("unchecked") // a request of this controller
    void again(Object request) {
      engine.sink().add((K) request);
    }
  }

  TestReplica(RunDriver driver, long epoch, Map<String, Long> listVersions) {
    this.driver = driver;
    this.name = "R" + epoch;
    this.term = new OwnTerm(epoch);
    Set<String> namespaces = driver.policy().ownNamespaces();
    this.slots = namespaces == null ? null : new NamespaceSlots(namespaces, term);
    this.threads = new GatedThreads(driver.time());
    this.own =
        driver
            .server()
            .client(
                cluster ->
                    new CallGate(driver, this, cluster, listVersions.getOrDefault(cluster, 0L)),
                listVersions.isEmpty(),
                driver.time());
  }

  /** Returns the meters that its controllers make themselves. */
  public MeterRegistry meters() {
    return meters;
  }

  /** Builds and starts the controllers. */
  void start(List<ControllerDefinition> definitions, Map<String, Object> config) {
    Kubernetes guarded = KubernetesRuntime.of(own).guardedBy(term);
    if (slots != null) {
      KubernetesRuntime.of(own).keepOnly(slots.kept());
      slots.kept().keep(slots.own()); // complete at once: no cache has started
    }
    Clock clock = driver.time();
    ControllerRuntime runtime =
        KitEnvironment.runtime(clock, ControllerRuntime.DEFAULT_DRAIN_LIMIT)
            .withSlots(slots == null ? term : slots);
    List<ControllerDefinition> all = KitEnvironment.all(definitions);
    KitEnvironment environment = new KitEnvironment(guarded, meters, config, clock);
    driver.webhooks().serve(all, environment); // before any controller has started
    List<String> names = new ArrayList<>();
    for (ControllerDefinition definition : all) {
      Controller<?> controller = environment.build(definition);
      names.add(controller.name());
      KitEnvironment.requireDistinct(names);
      running.put(controller.name(), Running.of(driver, this, controller, runtime));
    }
    // Before the sources begin, so that nothing has to be delivered a second time.
    open(slots == null ? List.of(term) : slots.own().stream().map(slots::term).toList());
    driver.time().settle();
    running.values().forEach(one -> one.engine.start());
  }

  private void open(List<? extends SlotTerm> terms) {
    running.values().forEach(one -> one.engine.slots().ifPresent(some -> some.open(terms)));
  }

  /** Returns the name for timelines, such as {@code R1}: the epoch of its ownership. */
  public String name() {
    return name;
  }

  /** Returns the epoch of its ownership. */
  public long epoch() {
    return term.epoch();
  }

  /** Returns whether it has ended. */
  public boolean isDead() {
    return dead;
  }

  boolean isFrozen() {
    return threads.isFrozen();
  }

  /**
   * Returns whether all sources have synced, but for those that wait for their resource to be
   * installed; throws when one cannot.
   */
  boolean isSynced() {
    boolean all = true;
    for (Running<?> one : running.values()) {
      Future<Void> synced = one.engine.synced();
      if (synced.failed()) {
        throw new IllegalStateException(
            "controller \"" + one.controller.name() + "\" did not start", synced.cause());
      }
      all &= synced.isComplete() || one.waitsForApi();
    }
    return all;
  }

  /**
   * Returns whether the caches of all sources are listed, but for those that wait: an attempt that began
   * between two lists would find one of them not synced, in some runs.
   */
  boolean isCached() {
    return running.values().stream()
        .flatMap(one -> one.engine.sources().stream())
        .allMatch(source ->
            !(source instanceof KindSource<?> kind)
                || kind.isWaiting()
                || kind.statuses().stream().allMatch(CacheStatus::synced));
  }

  /**
   * Returns whether no source is still listing, such as one that was added; one that waits for its
   * resource to be installed, or to try again, is not waited for.
   */
  boolean isListed() {
    for (Running<?> one : running.values()) {
      List<SourceStatus> shown = one.engine.handle().status().sources();
      List<? extends EventSource<?>> sources = one.engine.sources(); // in the same order
      for (int i = 0; i < sources.size(); i++) {
        if (!shown.get(i).synced()
            && sources.get(i) instanceof KindSource<?> kind
            && !kind.isWaiting()) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the handle of a controller, or null when it does not run here. */
  public @Nullable ControllerHandle handle(String controller) {
    Running<?> found = running.get(controller);
    return found == null ? null : found.engine.handle();
  }

  /** Returns the names of its controllers. */
  public List<String> controllers() {
    return List.copyOf(running.keySet());
  }

  /** Adds a request as an event would. */
  void again(String controller, Object request) {
    Running<?> found = running.get(controller);
    if (found != null && !dead) {
      found.again(request);
    }
  }

  /** Notes that the thread of an informer has read a list: its watch follows. */
  void listed(Thread informer) {
    synchronized (gates) {
      absent.remove(informer);
      opening.add(informer);
    }
  }

  /** Notes that the resource of an informer was not installed when it asked at a time. */
  void refused(Thread informer, long asked) {
    synchronized (gates) {
      opening.remove(informer);
      absent.put(informer, asked);
      gates.values().removeIf(gate -> gate.isOf(informer));
    }
  }

  void opened(EventGate gate, Thread informer) {
    synchronized (gates) {
      opening.remove(informer);
      absent.remove(informer);
      if (slots != null && gates.containsKey(gate.key())) {
        driver.serverChanged(); // it has events that the one before may have lost
      }
      gates.put(gate.key(), gate);
    }
  }

  /** Returns the watches of the running informers in a fixed order. */
  public List<EventGate> gates() {
    synchronized (gates) {
      gates.values().removeIf(EventGate::isOver); // of a source that was removed
      return new ArrayList<>(gates.values());
    }
  }

  /**
   * Returns whether its watches are open and have received everything up to a version.
   *
   * @param versions those of the clusters by their names
   * @param since the time, of {@link System#nanoTime}, from which on a resource that is not installed
   *     counts as missing at that version
   */
  boolean hasReceived(Map<String, Long> versions, long since) {
    synchronized (gates) {
      opening.removeIf(informer -> !informer.isAlive());
      absent.keySet().removeIf(informer -> !informer.isAlive());
      if (!opening.isEmpty() || absent.values().stream().anyMatch(asked -> asked - since < 0)) {
        return false;
      }
    }
    return gates().stream()
        .allMatch(gate ->
            !gate.isClosed() && gate.hasReceived(versions.getOrDefault(gate.cluster(), 0L)));
  }

  /** Returns whether its informers and sources have processed everything that was delivered. */
  boolean hasDelivered() {
    for (EventGate gate : gates()) {
      if (gate.isClosed() || !gate.isConsumed()) {
        return false;
      }
    }
    for (Running<?> one : running.values()) {
      for (EventSource<?> source : one.engine.sources()) {
        if (source instanceof KindSource<?> kind
            && kind.statuses().stream().allMatch(CacheStatus::synced)
            && kind.position().isEmpty()) {
          return false;
        }
      }
    }
    return true;
  }

  /** Stops all threads at once, also in the middle of an attempt: its machine has a long pause. */
  public void freeze() {
    threads.freeze();
  }

  /** Ends a pause. */
  public void thaw() {
    threads.thaw();
  }

  /** Ends its ownership: the guard refuses its writes from now on. */
  public void loseOwnership() {
    term.end();
  }

  /** Stops to accept requests, as a process does after it has lost its slots. */
  public void dropSlots() {
    drop(slots == null ? List.of(term.slot()) : slots.own());
  }

  private void drop(List<Integer> some) {
    running.values().forEach(one -> one.engine.slots().ifPresent(all -> all.drop(some)));
  }

  /** Gives the slot of a namespace away: its requests are dropped, and caches do not keep its objects. */
  void release(String namespace) {
    NamespaceSlots all = Objects.requireNonNull(slots);
    List<Integer> slot = List.of(all.slotOf(namespace, ""));
    drop(slot);
    all.kept().release(slot);
    all.end();
  }

  /**
   * Gets the slot of a namespace back.
   *
   * @return a future that completes when the caches have its objects
   */
  Future<Void> regain(String namespace) {
    NamespaceSlots all = Objects.requireNonNull(slots);
    int slot = all.slotOf(namespace, "");
    open(List.of(all.term(slot))); // before the objects come, so that they are delivered once
    driver.time().settle();
    return all.kept().keep(List.of(slot));
  }

  /** Ends it without a trace: what runs now reaches nothing any more. */
  public void crash() {
    dead = true;
    threads.kill();
    gates().forEach(EventGate::close);
  }

  /** Ends its threads; after {@link #crash}, and not inside of an attempt. */
  void dispose() {
    crash();
    running.values().forEach(one -> one.engine.sources().forEach(source -> source.stop()));
    own.close();
  }
}
