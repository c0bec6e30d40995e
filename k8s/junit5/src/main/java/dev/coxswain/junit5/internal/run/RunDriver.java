// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.k8s.Kubernetes;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Drives one run: lets every process act, waits until the server and all informers have followed,
 * and advances the time only when nothing is left to do.
 *
 * <p>Thread rule: the thread that made it, on which reconcilers run too; {@link #serverChanged} any
 * thread.
 */
public final class RunDriver implements AutoCloseable {

  /** Of real time, and a test that hangs should not take long. */
  private static final Duration LIMIT =
      EmbeddedApiServerOptions.patience(
          System.getenv(EmbeddedApiServerOptions.PATIENCE_VARIABLE), Duration.ofSeconds(30));

  private static final long POLL_NANOS = 20_000;
  private static final int POLLS_PER_BOOKMARK = 200;

  /** Waits for caches whose watch has ended are not waits for their events. */
  private static final int POLLS_PER_SETTLE = 256;

  /** The rounds at one moment that count as a loop without end. */
  private static final int MAX_ROUNDS = 1_000;

  private final TestServer server;
  private final RunPolicy policy;
  private final KitTime time;
  private final TimelineLog log;
  private final KitWebhooks webhooks;
  private final UserClient user;
  private final List<TestReplica> replicas = new ArrayList<>();
  private final Map<String, Consumer<TestReplica>> known = new LinkedHashMap<>();
  private List<ControllerDefinition> definitions = List.of();
  private Map<String, Object> config = Map.of();
  private long epoch;
  private final RunTally tally = new RunTally();
  private int attemptRunning;
  private @Nullable String staleWrite;

  /** Whether the server may have changes that the informers have not been given. */
  private volatile boolean changed;

  /**
   * Prepares a run.
   *
   * @param server the server, whose objects the caller has cleared, with those of further clusters
   * @param policy what is unusual in this run
   */
  public RunDriver(TestServer server, RunPolicy policy) {
    this.server = server;
    this.policy = policy;
    this.time = new KitTime(server.begin());
    this.log = new TimelineLog(time::nanos);
    server.follow(time);
    this.webhooks = new KitWebhooks(server.api());
    this.user = new UserClient(this);
  }

  /** Adds a cluster, before a process is started. */
  public void add(String cluster) {
    server.add(cluster);
    server.follow(time);
    user.open();
  }

  /** Returns the server. */
  public TestServer server() {
    return server;
  }

  /** Returns the server of a cluster; empty for the first one. */
  public EmbeddedApiServer server(String cluster) {
    return Objects.requireNonNull(server.clusters().get(cluster)).api();
  }

  /** Returns the time. */
  public KitTime time() {
    return time;
  }

  /** Returns the timeline. */
  public TimelineLog log() {
    return log;
  }

  /** Returns the webhooks of the controllers. */
  KitWebhooks webhooks() {
    return webhooks;
  }

  RunPolicy policy() {
    return policy;
  }

  /** Returns a client for the user of the clusters. */
  public Kubernetes user() {
    return user.kubernetes();
  }

  /** Returns what the controllers have done so far, in numbers. */
  public RunTally tally() {
    return tally;
  }

  /** Returns a write of a former owner that the server has accepted; null for none. */
  public @Nullable String staleWrite() {
    return staleWrite;
  }

  /** Starts the first process. */
  public TestReplica start(List<ControllerDefinition> all, Map<String, Object> configuration) {
    definitions = List.copyOf(all);
    config = Map.copyOf(configuration);
    return startReplica(Map.of());
  }

  /**
   * Starts another process with the same controllers and the next epoch.
   *
   * @param listVersions the versions at which its caches begin, by clusters; empty for the newest
   */
  public TestReplica startReplica(Map<String, Long> listVersions) {
    changed = true;
    TestReplica replica = new TestReplica(this, ++epoch, listVersions);
    replicas.add(replica);
    log.add(
        replica.name(),
        "process started"
            + (listVersions.isEmpty() ? "" : ", its caches begin at " + text(listVersions)));
    replica.start(definitions, config);
    time.settle(); // starts the sources, those that controllers have added too
    awaitReal("the caches of " + replica.controllers() + " are listed", replica::isCached);
    awaitReal(
        "the sources of " + replica.controllers() + " have synced",
        () -> {
          time.settle();
          return replica.isDead() || replica.isSynced();
        });
    return replica;
  }

  /** Returns the process that owns the requests now. */
  public TestReplica owner() {
    return replicas.getLast();
  }

  /**
   * Another replica gets the requests of a namespace of the owner, and does nothing. All watches end, so that the next ones
   * select without it.
   */
  public void releaseNamespace(String namespace) {
    owner().release(namespace);
    server.clusters().values().forEach(one -> one.api().faults().closeWatches());
    changed = true;
  }

  /** The owner gets a namespace back, and loads its objects. */
  public void regainNamespace(String namespace) {
    TestReplica owner = owner();
    Future<Void> loaded = owner.regain(namespace);
    awaitReal("the objects of " + namespace + " are loaded", loaded::isComplete);
    changed = true;
  }

  /** Adds every request that was ever reconciled once more. */
  public void reconcileAllAgain() {
    TestReplica owner = owner();
    List.copyOf(known.values()).forEach(again -> again.accept(owner));
  }

  ApiCall called(String cluster, Request request) {
    boolean write = !request.method().equals("GET");
    return new ApiCall(tally.call(), write ? tally.write() : 0, attemptRunning, cluster, request);
  }

  /** Notes a response; {@code before} is the version of the server before a write. */
  void answered(TestReplica replica, ApiCall call, Response response, long before)
      throws IOException {
    if (call.isWrite()) {
      changed = true;
    }
    boolean idle = call.isWrite() && response.isSuccessful() && call.isIdle(response, before);
    if (idle) {
      tally.idleWrite(call.shape());
    }
    if (call.isWrite() || !response.isSuccessful()) {
      log.add(
          replica.name(),
          "  " + call.text() + "  " + response.code() + (idle ? "  unchanged" : ""));
    }
    if (call.isWrite() && response.isSuccessful() && replica.epoch() < epoch) {
      staleWrite = call.text() + " of " + replica.name() + ", accepted in epoch " + epoch;
      log.add(replica.name(), "  this process does not own the request any more");
    }
  }

  int attemptBegins(String request, String namespace, Consumer<TestReplica> again) {
    known.putIfAbsent(request, again);
    policy.attemptBegins(request);
    attemptRunning = tally.attempt(namespace);
    return attemptRunning;
  }

  void attemptEnds() {
    attemptRunning = 0;
  }

  /** Notes that the server was changed, or broken, in another way than by the clients of this run. */
  public void serverChanged() {
    changed = true;
  }

  /** Applies objects for the user of a cluster; webhooks decide on them, which the first cluster has. */
  public void apply(String cluster, String yaml) {
    webhooks.convert();
    Objects.requireNonNull(server.clusters().get(cluster)).apply(yaml);
    webhooks.convert();
    changed = true;
  }

  /** Lets everything happen that happens without time passing. */
  public void settle() {
    webhooks.convert();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      time.settle();
      tally.requireBounded();
      replaceCrashed();
      awaitAddedSources();
      boolean delivered = deliver();
      if (!delivered && !changed && !time.hasIncoming() && !crashed() && !gaveWork()) {
        return;
      }
    }
    throw new RunTally.RunawayException("events and attempts without end at one moment");
  }

  private boolean gaveWork() {
    boolean work = policy.quiet();
    if (work) {
      changed = true; // events that were held are delivered
    }
    return work;
  }

  private boolean crashed() {
    return !replicas.isEmpty() && owner().isDead();
  }

  /** Lets sources that were added list what there is, so that each run goes the same way. */
  private void awaitAddedSources() {
    for (TestReplica replica : List.copyOf(replicas)) {
      if (!replica.isDead() && !replica.isFrozen() && !replica.isListed()) {
        changed = true; // their watches have received nothing yet
        int[] polls = {0};
        awaitReal(
            "the added sources of " + replica.name() + " have synced",
            () -> {
              // Attempts begin with this. One that begins between the first object of a source and
              // the end of its list would find it not synced, in some runs.
              if (replica.hasDelivered() || ++polls[0] % POLLS_PER_SETTLE == 0) {
                time.settle();
              }
              return replica.isDead() || replica.isListed();
            });
      }
    }
  }

  private void replaceCrashed() {
    if (crashed()) {
      owner().dispose();
      startReplica(policy.restartVersions());
    }
  }

  private boolean deliver() {
    if (!changed) {
      return false;
    }
    changed = false;
    Map<String, Long> versions = server.settle();
    boolean delivered = false;
    for (TestReplica replica : replicas) {
      if (!replica.isDead() && !replica.isFrozen()) {
        awaitReceived(replica, versions);
        for (EventGate gate : replica.gates()) {
          delivered |= deliver(replica, gate);
          // One watch after the other, so that requests are added in the same order in every run.
          awaitReal(
              "the caches of " + replica.name() + " have processed their events",
              replica::hasDelivered);
        }
      }
    }
    return delivered;
  }

  private boolean deliver(TestReplica replica, EventGate gate) {
    int first = tally.events() + 1;
    int count = policy.deliver(replica, gate, first);
    List<String> what = gate.release(count);
    tally.delivered(what.size());
    what.forEach(event -> log.add(replica.name(), "event " + event));
    return !what.isEmpty();
  }

  private void awaitReceived(TestReplica replica, Map<String, Long> versions) {
    int[] polls = {0};
    long since = System.nanoTime();
    awaitReal(
        "the watches of " + replica.name() + " have received " + text(versions),
        () -> {
          if (++polls[0] % POLLS_PER_BOOKMARK == 0) {
            server.settle(); // a watch that was opened since has got no bookmark
          }
          return replica.hasReceived(versions, since);
        });
  }

  private static String text(Map<String, Long> versions) {
    return versions.entrySet().stream()
        .map(one -> "v" + one.getValue() + TestServer.in(one.getKey()))
        .collect(Collectors.joining(", "));
  }

  private void awaitReal(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (Thread.currentThread().isInterrupted()) {
        // As by JUnit after a time-out: the next test uses the same server.
        throw new AssertionError("interrupted while it waited until " + what);
      }
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(
            "waited %s s in vain until %s; %s sets another limit%n%s"
                .formatted(
                    LIMIT.toSeconds(),
                    what,
                    EmbeddedApiServerOptions.PATIENCE_VARIABLE,
                    log.all()));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Lets time pass, from alarm to alarm. */
  public void advance(Duration by) {
    long end = time.nanos() + by.toNanos();
    settle();
    while (time.advanceToNext(end)) {
      settle();
    }
    time.skipTo(end);
    settle();
  }

  /** Advances to the next alarm within a limit; false when there is none. */
  public boolean advanceToNext(Duration limit) {
    settle();
    if (!time.advanceToNext(time.nanos() + limit.toNanos())) {
      return false;
    }
    settle();
    return true;
  }

  /** Ends all processes. */
  @Override
  public void close() {
    replicas.forEach(TestReplica::dispose);
    webhooks.close();
    user.close();
    server.unfollow();
  }
}
