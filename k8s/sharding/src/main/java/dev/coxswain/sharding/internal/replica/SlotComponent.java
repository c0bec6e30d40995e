// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.sharding.internal.ownership.ClaimTexts;
import dev.coxswain.sharding.internal.ownership.OwnershipRules;
import dev.coxswain.sharding.internal.slot.MoveTimes;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotMapException;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.store.ClaimTextStore;
import dev.coxswain.sharding.internal.store.MovedSlotStore;
import dev.coxswain.sharding.internal.store.SlotMapStore;
import dev.coxswain.sharding.internal.view.SlotOwners;
import dev.coxswain.sharding.internal.view.SlotReadiness;
import dev.coxswain.sharding.internal.view.SlotView;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots of this replica: follows the map, opens and closes slots in the controllers, and plans
 * for all replicas when it is this one's turn.
 *
 * <p>Thread rule: any thread; nothing blocks. The rules run on one platform thread.
 */
public final class SlotComponent {

  private static final Logger LOG = LoggerFactory.getLogger(SlotComponent.class);

  /** At least a Lease duration, so that a replica that has just died is not counted. */
  private static final Duration LEAST_CALM = Duration.ofSeconds(10);

  private static final Duration ROLL_OUT_CALM = Duration.ofSeconds(60);
  private static final Duration PREPARE = Duration.ofSeconds(10);

  /** A target that has not loaded a slot by then does not load it. */
  private static final Duration LOAD = Duration.ofMinutes(2);

  private static final Duration CLOSE = Duration.ofSeconds(30);

  /** The time limit for the replica Lease to show that this replica is drained. */
  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(5);

  /** The time limit of a request for the state that moves with a slot. */
  private static final Duration STATE_LIMIT = Duration.ofSeconds(1);

  /** The pause after a pass that failed. */
  private static final long FAILED_PASS = Duration.ofSeconds(1).toNanos();

  private final ReplicaMembership membership;
  private final Kubernetes kubernetes;
  private final SlotWrites writes;
  private final SlotGuard guard;
  private final SlotAttributes attributes;
  private final Clock clock;
  private final Duration drainLimit;
  private final Duration calm;
  private final ConcurrentLinkedQueue<Runnable> mailbox = new ConcurrentLinkedQueue<>();
  private final Semaphore signal = new Semaphore(0);
  private final Promise<Void> ended = Promise.promise();
  private final SlotEndpoints endpoints;
  private final OwnershipRules ownership = new OwnershipRules(() -> signal.release());

  private volatile @Nullable SlotDriver driver;
  private volatile @Nullable SlotMapStore maps;
  private @Nullable ClaimTexts texts; // from the opening on, on the thread of the slots
  private @Nullable SlotDriver opened; // on the context of the lifecycle, as is the watch
  private @Nullable InformerHandle<V1ConfigMap> watch;
  private volatile boolean closed;

  /**
   * Creates the service; nothing runs yet.
   *
   * @param version the version of the host; two at once are a roll-out
   * @param drainLimit how long a replica that stops may take to hand its slots over
   */
  public SlotComponent(
      ReplicaMembership membership,
      Kubernetes kubernetes,
      String version,
      Duration drainLimit,
      Clock clock) {
    this(membership, kubernetes, version, drainLimit, calm(membership.settings()), clock);
  }

  /**
   * Creates the service for a test.
   *
   * @param calm how long the replicas must be the same before slots move for balance
   */
  SlotComponent(
      ReplicaMembership membership,
      Kubernetes kubernetes,
      String version,
      Duration drainLimit,
      Duration calm,
      Clock clock) {
    this.calm = calm;
    this.membership = membership;
    this.kubernetes = kubernetes;
    this.clock = clock;
    this.drainLimit = drainLimit;
    this.writes = new SlotWrites(clock);
    this.guard = new SlotGuard(membership, writes);
    this.attributes = new SlotAttributes(membership.leases());
    this.endpoints = new SlotEndpoints(membership.leases(), this::view);
    attributes.begin(membership.settings().weight(), version);
  }

  /** Returns what controllers share that run in the slots. */
  public ShardedControllers.Share share() {
    return new ShardedControllers.Share(guard, ownership, new SlotOwners(this::view, clock)::of);
  }

  /** Returns how many writes the guard has refused. */
  public long refusedWrites() {
    return guard.refusals();
  }

  /** Returns the slots as this replica has observed them. */
  public SlotView view() {
    SlotDriver running = driver;
    return running == null ? SlotView.NONE : running.view();
  }

  /**
   * Gives this replica no slots from now on, or its usual share again.
   *
   * @return a future that completes when the replica Lease says so, and fails when it does not
   *     within some seconds
   */
  public Future<Void> drain(boolean on) {
    SlotDriver running = driver;
    if (running == null) {
      return Future.failedFuture(new IllegalStateException("the slots have not started yet"));
    }
    attributes.drain(on, membership.settings().weight());
    Promise<Void> stored = Promise.promise();
    later(() -> running.await(own -> SlotAttributes.isDrained(own) == on, stored));
    return stored.future().timeout(DRAIN_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Deletes the slot map, whatever it contains; the replicas close their slots and make another one.
   * Done also when there is none.
   *
   * @return fails when it was not deleted, or that is unknown
   */
  public Future<Void> deleteMap() {
    SlotMapStore store = maps;
    if (store == null) {
      return Future.failedFuture(new IllegalStateException("the slots have not started yet"));
    }
    Promise<Void> deleted = Promise.promise();
    Thread.ofPlatform()
        .daemon()
        .name("coxswain-slot-map-deletion")
        .start(() -> {
          try {
            store.delete();
            deleted.complete();
          } catch (Throwable e) { // otherwise its caller would wait for ever
            deleted.fail(e);
          }
        });
    return deleted.future();
  }

  /**
   * Returns what the readiness probe shows of the slots.
   *
   * @param needed whether a controller needs the slot map, so that the replica is not ready without
   */
  public SlotReadiness readiness(boolean needed) {
    SlotView now = view();
    if (!now.rejected().isEmpty()) {
      return new SlotReadiness(now.rejected(), needed);
    }
    Optional<SlotMap> map = now.own().followed().last().map(StoredSlotMap::map);
    if (map.isPresent()) {
      String problem = now.problem().isEmpty() ? divisionProblem(map.get()) : now.problem();
      return new SlotReadiness(problem, false);
    }
    String why =
        Stream.of(now.problem(), membership.problem())
            .filter(text -> !text.isEmpty())
            .findFirst()
            .orElse("the slot map has not been read yet");
    return new SlotReadiness(why, needed);
  }

  /** Returns that the map divides into slots in another way than configured; empty when it does not. */
  private String divisionProblem(SlotMap map) {
    Membership configured = membership.settings();
    if (map.slots() != configured.slots()) {
      return divisionProblem("slots", configured.slots(), map.slots());
    }
    return map.division() == configured.slotsBy()
        ? ""
        : divisionProblem("slotsBy", configured.slotsBy().label(), map.division().label());
  }

  private String divisionProblem(String key, Object configured, Object made) {
    return "membership.%s is %s, and the slot map was made with %s, which counts; to change it stop all replicas and delete the ConfigMap %s"
        .formatted(key, configured, made, membership.settings().mapName());
  }

  /**
   * Reads the slot map from now on; this replica takes no slot before the start.
   *
   * @param served what runs in the slots
   */
  public Future<Void> open(ShardedControllers served) {
    Membership settings = membership.settings();
    SlotGates gates = new SlotGates(served, membership, clock, this::later);
    ApiTransport guarded =
        KubernetesRuntime.of(kubernetes).transport().guardedBy(membership.guard());
    // Platform threads, here and below: user code can hold all carriers of virtual ones. There is
    // one request for the slot map and one to each other replica at a time.
    Executor threads =
        task -> Thread.ofPlatform().daemon().name("coxswain-slot-request").start(task);
    SlotMapStore store = new SlotMapStore(guarded, settings, clock);
    maps = store;
    SlotRequests requests = new SlotRequests(store, clock, threads, this::later);
    SlotMoves slotMoves =
        new SlotMoves(
            new MovedSlotStore(guarded.withTimeout(STATE_LIMIT), settings, membership::replica),
            served,
            clock,
            threads,
            this::later);
    SlotDriver created =
        new SlotDriver(
            membership,
            attributes,
            requests,
            gates,
            slotMoves,
            served,
            this::loader,
            writes,
            new MoveTimes(
                calm.toNanos(),
                Math.max(ROLL_OUT_CALM.toNanos(), calm.toNanos()),
                PREPARE.toNanos(),
                LOAD.toNanos(),
                CLOSE.toNanos(),
                drainLimit.toNanos()),
            clock,
            RandomGenerator.getDefault());
    opened = created;
    texts =
        new ClaimTexts(
            new ClaimTextStore(guarded.withTimeout(STATE_LIMIT), settings),
            SlotAttributes.CONTROLLERS,
            threads,
            this::later);
    long begin = clock.nanos();
    InformerHandle<V1ConfigMap> cache =
        kubernetes
            .kind(V1ConfigMap.class)
            .inNamespace(settings.namespace())
            .fields("metadata.name=" + settings.mapName())
            .openCache();
    watch = cache;
    cache.subscribe(
        "slot map",
        Thread.ofPlatform().daemon().factory(),
        event -> later(() -> received(requests, event, begin)));
    Thread.ofPlatform().daemon().name("coxswain-slots").start(() -> run(created));
    return Future.succeededFuture();
  }

  /** Ends reading the slot map; after the stop, if it was started. */
  public Future<Void> close() {
    InformerHandle<V1ConfigMap> cache = watch;
    if (cache == null) {
      return Future.succeededFuture();
    }
    cache.close();
    closed = true;
    signal.release();
    return ended.future();
  }

  /** Takes part in the sharing of the slots; after {@link #open(ShardedControllers)}. */
  public Future<Void> start() {
    SlotDriver running = Objects.requireNonNull(opened, "opened");
    driver = running;
    membership.leases().afterEachStep(signal::release);
    signal.release();
    return Future.succeededFuture();
  }

  private static Duration calm(Membership settings) {
    Duration lease = settings.leaseDuration();
    return lease.compareTo(LEAST_CALM) > 0 ? lease : LEAST_CALM;
  }

  /**
   * Connects new slots: from now on the caches of sharded controllers keep the objects of kept slots
   * only, and sources find the addresses of other owners.
   */
  private SlotLoader loader(HostSlots slots) {
    KeptSlots kept = new KeptSlots(slots);
    KubernetesRuntime.of(kubernetes).keepOnly(kept);
    slots.endpoints(endpoints);
    return new SlotLoader() {
      @Override
      public Future<Void> keep(Collection<Integer> which) {
        return kept.keep(which);
      }

      @Override
      public void release(Collection<Integer> which) {
        kept.release(which);
      }
    };
  }

  private static void received(SlotRequests requests, ObjectEvent<V1ConfigMap> event, long opened) {
    V1ObjectMeta metadata = Objects.requireNonNull(event.object().getMetadata(), "metadata");
    String version = Objects.requireNonNullElse(metadata.getResourceVersion(), "0");
    if (event.kind() == ObjectEvent.Kind.DELETED) {
      requests.deleted(Long.parseLong(version));
      return;
    }
    try {
      requests.watched(
          SlotMapStore.stored(
              Objects.requireNonNull(metadata.getUid(), "uid"),
              version,
              Objects.requireNonNullElse(event.object().getData(), Map.of()),
              opened));
    } catch (SlotMapException e) {
      requests.unusable(String.valueOf(e.getMessage()));
    }
  }

  /** Compares with other replicas; returns the time until that has to be done again, if nothing changes. */
  private long compareOwnership(SlotDriver running) {
    ClaimTexts claims = Objects.requireNonNull(texts, "texts");
    long now = clock.nanos();
    ReplicaLeases.OwnLease own = claims.resolved(membership.leases().own()); // before the list
    String wanted =
        ownership.pass(
            own,
            claims.resolved(membership.leases().lastList().orElse(null), now),
            SlotAttributes.CONTROLLERS,
            running.mayOthersAct(),
            claims.problem(now),
            now);
    OptionalInt ordinal =
        membership
            .leases()
            .held()
            .map(held -> OptionalInt.of(held.ordinal()))
            .orElseGet(OptionalInt::empty);
    attributes.controllers(claims.shortened(wanted, ordinal));
    return claims.request(ordinal, now);
  }

  private void later(Runnable task) {
    mailbox.add(task);
    signal.release();
  }

  private void run(SlotDriver running) {
    while (!running.hasEnded() && !closed) {
      signal.drainPermits();
      long wait = FAILED_PASS;
      try {
        for (Runnable task = mailbox.poll(); task != null; task = mailbox.poll()) {
          task.run();
        }
        if (driver != null) { // before the start the map is read, and nothing else done
          long compared = compareOwnership(running);
          wait = Math.min(compared, running.pass(ownership::isAdmitted));
        }
      } catch (Throwable e) {
        LOG.atError().setCause(e).log("pass over the slots failed, continuing");
      }
      try {
        if (wait > 0) {
          signal.tryAcquire(wait, TimeUnit.NANOSECONDS);
        }
      } catch (InterruptedException e) {
        LOG.atWarn().log("thread of the slots interrupted, continuing");
      }
    }
    ended.tryComplete();
  }

  /**
   * Hands all slots over, or ends their attempts when there is no other replica; within the drain
   * limit.
   */
  public Future<Void> stop() {
    SlotDriver running = driver;
    if (running == null) {
      return Future.succeededFuture();
    }
    later(running::leave);
    return ended.future();
  }
}
