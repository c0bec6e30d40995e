// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.replicatedmap.ReplicatedMap;
import dev.coxswain.limiter.LimiterStatus.State;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.time.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This replica's part of the shared limiter: an embedded Hazelcast member, and the budgets whose
 * pools are kept by all members together.
 *
 * <p>Budgets can be made and used before {@link #start}, and when it fails: they run on their floor
 * then, and say so.
 *
 * <p>Thread rule: any thread. No method blocks; futures complete on a Vert.x context or, when the
 * caller has none, on a thread of Vert.x.
 */
public final class LimiterMember {
  private static final Logger log = LoggerFactory.getLogger(LimiterMember.class);
  private static final long RECENT_NANOS = 2_000_000_000;
  private static final Duration LONGEST_OVERRIDE = Duration.ofHours(24);

  private final Vertx vertx;
  private final MemberOptions options;
  private final ReplicaView view;
  private final Clock clock = Clock.system();
  private final MemberThreads threads = new MemberThreads();
  private final Map<String, SharedRetryBudget> budgets = new ConcurrentSkipListMap<>();
  private final NewsRoom news;
  private final Owner owner = new Owner();

  private final Promise<String> joined = Promise.promise();
  private volatile State state = State.NEW;
  private volatile @Nullable HazelcastInstance instance;

  private LimiterMember(Vertx vertx, MemberOptions options, ReplicaView view) {
    this.vertx = Objects.requireNonNull(vertx, "vertx");
    this.options = Objects.requireNonNull(options, "options");
    this.view = Objects.requireNonNull(view, "view");
    this.news = new NewsRoom(options.replica(), clock);
  }

  /**
   * Creates a member that does not run yet.
   *
   * @param vertx where futures complete
   * @param options how it runs
   * @param view what is known of the other replicas
   */
  public static LimiterMember create(Vertx vertx, MemberOptions options, ReplicaView view) {
    return new LimiterMember(vertx, options, view);
  }

  /**
   * Returns the budget of a limiter; the same one for the same specification.
   *
   * @throws IllegalArgumentException naming the key, when the burst is too small for the rate or
   *     the limiter is there with another specification
   */
  public RetryBudget budget(LimiterSpec spec) {
    SharedRetryBudget budget =
        budgets.computeIfAbsent(
            spec.name(),
            name ->
                new SharedRetryBudget(
                    spec,
                    options.shape(),
                    view,
                    clock,
                    this::apply,
                    threads.calls,
                    options.viewAge().toNanos()));
    if (!budget.spec().equals(spec)) {
      throw new IllegalArgumentException(
          "limiters." + spec.name() + ": there is one of the name already, " + budget.spec());
    }
    return budget;
  }

  /**
   * Returns where the member listens, as soon as it runs, be it after the limit of {@link #start}
   * only; it may never complete.
   */
  public Future<String> joined() {
    return joined.future();
  }

  /**
   * Starts the member, lets it join and makes the first calls, so that no event loop ever waits for
   * them. The future fails when it cannot be started within the limit; the budgets go on with their
   * floors then. Can be called once.
   */
  public Future<Void> start() {
    synchronized (this) {
      if (state != State.NEW) {
        return Future.failedFuture(new IllegalStateException("the member is " + state));
      }
      state = State.STARTING;
    }
    Promise<Void> started = Promise.promise();
    long limit = options.startTimeout().toMillis();
    long timer =
        vertx.setTimer(
            limit,
            id ->
                started.tryFail(
                    new TimeoutException(
                        "the Hazelcast member did not start in "
                            + limit
                            + " ms; it goes on trying")));
    vertx
        .executeBlocking(
            () -> {
              startBlocking();
              return true;
            },
            false)
        .onSuccess(done -> started.tryComplete())
        .onFailure(e -> {
          if (!started.tryFail(e)) { // nobody waits for it any more
            log.atError().setCause(e).log("shared limiter member cannot be started");
          }
        });
    return started.future().onComplete(done -> vertx.cancelTimer(timer)).onFailure(e -> failed());
  }

  /** It may have joined, or been stopped, since the limit was reached. */
  private synchronized void failed() {
    if (state == State.STARTING) {
      state = State.FAILED;
    }
  }

  private void startBlocking() {
    HazelcastInstance made = Hazelcast.newHazelcastInstance(MemberConfig.of(options, view));
    owner.cluster = made.getCluster();
    made.getUserContext().put(ChangeProcessor.OWNER, owner);
    IMap<String, byte @Nullable []> pools = made.getMap(MemberConfig.POOLS);
    warmUp(pools);
    synchronized (this) {
      if (state == State.STARTING || state == State.FAILED) {
        instance = made;
        state = State.RUNNING;
      }
    }
    if (state != State.RUNNING) { // stopped meanwhile
      made.shutdown();
      return;
    }
    log.atInfo()
        .addKeyValue("cluster", options.generationName())
        .addKeyValue("address", made.getCluster().getLocalMember().getAddress())
        .addKeyValue("members", owner.members())
        .log("shared limiter joined");
    threads.everySecond(this::chores);
    joined.tryComplete(address(made.getCluster().getLocalMember()));
  }

  /** The first call on a path loads classes and tables, which has taken up to 86 ms. */
  private static void warmUp(IMap<String, byte @Nullable []> pools) {
    for (int i = 0; i < 50; i++) {
      try {
        // Of no known version: it is answered and changes nothing.
        pools
            .submitToKey("warm-up-" + i, new ChangeProcessor(new byte[1]))
            .toCompletableFuture()
            .get(2, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (java.util.concurrent.ExecutionException | TimeoutException e) {
        log.atDebug().addKeyValue("error", e.toString()).log("warm-up call failed");
        return; // a minority: the path is warm enough
      }
    }
  }

  private CompletionStage<byte[]> apply(String limiter, byte[] request) {
    HazelcastInstance running = instance;
    if (running == null) {
      return CompletableFuture.failedFuture(
          new PoolTrouble.NotRunning(
              "the Hazelcast member is " + state.name().toLowerCase(java.util.Locale.ROOT)));
    }
    CompletableFuture<byte[]> result = new CompletableFuture<>();
    try {
      submit(running, limiter, request, result);
    } catch (RuntimeException e) { // it is being stopped
      result.completeExceptionally(e);
    }
    return result;
  }

  private static void submit(
      HazelcastInstance running, String limiter, byte[] request, CompletableFuture<byte[]> result) {
    IMap<String, byte @Nullable []> pools = running.getMap(MemberConfig.POOLS);
    // On the thread that brings the answer: another hop would cost more than what is done with it.
    pools
        .submitToKey(limiter, new ChangeProcessor(request))
        .whenCompleteAsync(
            (reply, e) -> {
              if (e == null) {
                result.complete(reply);
              } else {
                result.completeExceptionally(e);
              }
            },
            Runnable::run);
  }

  private void chores() {
    HazelcastInstance running = instance;
    if (running == null || state != State.RUNNING) {
      return;
    }
    try {
      budgets.values().forEach(SharedRetryBudget::look);
      ReplicatedMap<String, byte[]> reports = running.getReplicatedMap(MemberConfig.REPORTS);
      news.exchange(reports, List.copyOf(budgets.values()));
    } catch (RuntimeException e) { // tried again in a second
      log.atDebug().addKeyValue("error", e.toString()).log("could not exchange reports");
    }
  }

  /**
   * Sets another rate and burst on all replicas for a while, and replaces what was set before.
   *
   * @param limiter the name of the limiter
   * @param rate retries per second, no more than the ceiling
   * @param burst the burst, no more than the ceiling
   * @param duration for how long, up to 24 hours
   * @return completes when the pool has stored it; fails, with nothing changed, with an {@link
   *     IllegalArgumentException} that names the key, or because the pool cannot be reached
   */
  public Future<Void> override(String limiter, double rate, int burst, Duration duration) {
    try {
      SharedRetryBudget budget = known(limiter);
      LimiterSpec spec = budget.spec();
      LimiterSpec.checkRate(LimiterSpec.key(limiter, "rate"), rate);
      LimiterSpec.checkBurst(LimiterSpec.key(limiter, "burst"), burst);
      ceiling(limiter, "rate", rate, "maxRate", spec.maxRate());
      ceiling(limiter, "burst", burst, "maxBurst", spec.maxBurst());
      if (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST_OVERRIDE) > 0) {
        throw new IllegalArgumentException(
            LimiterSpec.key(limiter, "duration")
                + ": expected a positive duration up to 24 hours, found "
                + duration);
      }
      RateOverride set = new RateOverride(0, rate, burst, duration.toNanos());
      Shares.of(spec, set, options.shape()); // throws when it cannot be
      return change(budget, set);
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
  }

  /** Ends an override before its time; the future is that of {@link #override}. */
  public Future<Void> clearOverride(String limiter) {
    try {
      SharedRetryBudget budget = known(limiter);
      LimiterSpec spec = budget.spec();
      return change(budget, new RateOverride(0, spec.rate(), spec.burst(), 0));
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
  }

  /** Returns whether this process keeps the pool of a limiter, as far as it has heard. */
  boolean ownsPool(String limiter) {
    return known(limiter).isOwnedBy(owner);
  }

  private SharedRetryBudget known(String limiter) {
    SharedRetryBudget budget = budgets.get(limiter);
    if (budget == null) {
      throw new IllegalArgumentException(
          "limiters." + limiter + ": there is no such limiter; limiters are " + budgets.keySet());
    }
    return budget;
  }

  private static void ceiling(
      String limiter, String field, double value, String ceilingField, double ceiling) {
    if (value > ceiling) {
      throw new IllegalArgumentException(
          LimiterSpec.key(limiter, field)
              + ": "
              + value
              + " is beyond the ceiling, "
              + LimiterSpec.key(limiter, ceilingField)
              + " = "
              + ceiling);
    }
  }

  private Future<Void> change(SharedRetryBudget budget, RateOverride set) {
    Promise<Void> changed = Promise.promise();
    if (state != State.RUNNING) {
      return Future.failedFuture(
          new IllegalStateException(
              "limiter \"" + budget.name() + "\" was not changed: the member is " + state));
    }
    threads.calls.execute(() ->
        apply(budget.name(), budget.request(0, set).encode())
            .whenComplete((bytes, e) -> {
              PoolReply reply = bytes == null ? null : PoolReply.decode(bytes);
              if (reply != null && reply.status() == PoolReply.Status.DONE) {
                budget.told(reply);
                changed.complete();
              } else {
                changed.fail(
                    new IllegalStateException(
                        "limiter \""
                            + budget.name()
                            + "\" was not changed, or it is not certain: "
                            + PoolTrouble.describe(reply, e)));
              }
            }));
    return changed.future();
  }

  private static String address(Member member) {
    return member.getAddress().getHost() + ":" + member.getAddress().getPort();
  }

  /** Returns what can be shown now. */
  public LimiterStatus status() {
    HazelcastInstance running = instance;
    List<LimiterStatus.Limiter> limiters = new ArrayList<>();
    budgets.values().forEach(budget -> limiters.add(budget.status()));
    return new LimiterStatus(
        options.replica(),
        state,
        running == null ? 0 : owner.members(),
        MemberConfig.majority(view.liveReplicas()),
        running == null ? null : address(running.getCluster().getLocalMember()),
        owner.recently(false),
        owner.recently(true),
        limiters);
  }

  /**
   * Hands over the data of this member and leaves the cluster, within the limit of the options. The
   * budgets go on with their floors. The future never fails.
   */
  public Future<Void> stop() {
    HazelcastInstance running;
    synchronized (this) {
      state = State.STOPPED;
      running = instance;
      instance = null;
    }
    Promise<Void> stopped = Promise.promise();
    vertx
        .executeBlocking(
            () -> {
              if (running != null) {
                running.shutdown();
              }
              threads.stop();
              return true;
            },
            false)
        .onFailure(e ->
            log.atWarn()
                .addKeyValue("error", e.toString())
                .log("the member did not leave in order"))
        .onComplete(done -> stopped.complete());
    return stopped.future();
  }

  /** This process, as the state of a pool sees it. */
  private final class Owner implements PoolOwner {
    private final UUID id = UUID.randomUUID();
    private volatile @Nullable Cluster cluster;

    /** When the state of each pool was last changed here, and when its backup was. */
    private final Map<String, Long> changedAt = new ConcurrentHashMap<>();

    private final Map<String, Long> backedUpAt = new ConcurrentHashMap<>();

    @Override
    public void stored(String limiter, boolean backup) {
      (backup ? backedUpAt : changedAt).put(limiter, clock.nanos());
    }

    Set<String> recently(boolean backup) {
      long now = clock.nanos();
      return (backup ? backedUpAt : changedAt)
          .entrySet().stream()
              .filter(entry -> now - entry.getValue() < RECENT_NANOS)
              .map(Map.Entry::getKey)
              .collect(Collectors.toSet());
    }

    int members() {
      Cluster joined = cluster;
      return joined == null ? 0 : joined.getMembers().size();
    }

    @Override
    public long idHigh() {
      return id.getMostSignificantBits();
    }

    @Override
    public long idLow() {
      return id.getLeastSignificantBits();
    }

    @Override
    public long nanos() {
      return clock.nanos();
    }

    @Override
    public boolean hasMajority(int liveReplicas) {
      Cluster joined = cluster;
      return joined != null
          && MemberConfig.isMajority(
              joined.getMembers().stream().map(LimiterMember::address), view, liveReplicas);
    }
  }
}
