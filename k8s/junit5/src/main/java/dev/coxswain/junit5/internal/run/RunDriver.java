// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

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
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import okhttp3.Interceptor;
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
  private final Kubernetes user;
  private final KitWebhooks webhooks;
  private final List<TestReplica> replicas = new ArrayList<>();
  private final Map<String, Consumer<TestReplica>> known = new LinkedHashMap<>();
  private List<ControllerDefinition> definitions = List.of();
  private Map<String, Object> config = Map.of();
  private long epoch;
  private final RunTally tally = new RunTally();
  private int attemptRunning;
  private int maxAttempts = Integer.MAX_VALUE;
  private @Nullable String staleWrite;

  /** Whether the server may have changes that the informers have not been given. */
  private volatile boolean changed;

  /**
   * Prepares a run.
   *
   * @param server the server, whose objects the caller has cleared
   * @param policy what is unusual in this run
   */
  public RunDriver(TestServer server, RunPolicy policy) {
    this.server = server;
    this.policy = policy;
    this.time = new KitTime(server.begin());
    this.log = new TimelineLog(time::nanos);
    server.follow(time);
    this.webhooks = new KitWebhooks(server.api());
    this.user = server.client(this::userCall, true, time);
  }

  private Response userCall(Interceptor.Chain chain) throws IOException {
    Request request = chain.request();
    Response response = chain.proceed(request);
    if (!request.method().equals("GET")) {
      changed = true;
      log.add(
          "user", request.method() + " " + request.url().encodedPath() + "  " + response.code());
    }
    return response;
  }

  /** Returns the server. */
  public TestServer server() {
    return server;
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

  /** Returns a client for the user of the cluster. */
  public Kubernetes user() {
    return user;
  }

  /** Returns what the controllers have done so far, in numbers. */
  public RunTally tally() {
    return tally;
  }

  /** Returns a write of a former owner that the server has accepted; null for none. */
  public @Nullable String staleWrite() {
    return staleWrite;
  }

  /** Ends the run with a {@link RunawayException} after this many attempts. */
  public void limitAttempts(int limit) {
    maxAttempts = limit;
  }

  /** Starts the first process. */
  public TestReplica start(List<ControllerDefinition> all, Map<String, Object> configuration) {
    definitions = List.copyOf(all);
    config = Map.copyOf(configuration);
    return startReplica(0);
  }

  /**
   * Starts another process with the same controllers and the next epoch.
   *
   * @param listVersion the version at which its caches begin; 0 for the newest
   */
  public TestReplica startReplica(long listVersion) {
    changed = true;
    TestReplica replica = new TestReplica(this, ++epoch, listVersion);
    replicas.add(replica);
    log.add(
        replica.name(),
        "process started" + (listVersion == 0 ? "" : ", its caches begin at v" + listVersion));
    replica.start(definitions, config);
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
    server.api().faults().closeWatches();
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

  ApiCall called(Request request) {
    boolean write = !request.method().equals("GET");
    return new ApiCall(tally.call(), write ? tally.write() : 0, attemptRunning, request);
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

  /** Applies objects for the user of the cluster; webhooks decide on them. */
  public void apply(String yaml) {
    webhooks.convert();
    server.apply(yaml);
    webhooks.convert();
    changed = true;
  }

  /** Lets everything happen that happens without time passing. */
  public void settle() {
    webhooks.convert();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      time.settle();
      if (tally.attempts() > maxAttempts) {
        throw new RunawayException("more than " + maxAttempts + " attempts");
      }
      replaceCrashed();
      awaitAddedSources();
      boolean delivered = deliver();
      if (!delivered && !changed && !time.hasIncoming() && !crashed() && !gaveWork()) {
        return;
      }
    }
    throw new RunawayException("events and attempts without end at one moment");
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
      startReplica(policy.restartVersion());
    }
  }

  private boolean deliver() {
    if (!changed) {
      return false;
    }
    changed = false;
    long version = server.api().state().settle();
    boolean delivered = false;
    for (TestReplica replica : replicas) {
      if (!replica.isDead() && !replica.isFrozen()) {
        awaitReceived(replica, version);
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

  private void awaitReceived(TestReplica replica, long version) {
    int[] polls = {0};
    long since = System.nanoTime();
    awaitReal(
        "the watches of " + replica.name() + " have received v" + version,
        () -> {
          if (++polls[0] % POLLS_PER_BOOKMARK == 0) {
            server.api().state().settle(); // a watch that was opened since has got no bookmark
          }
          return replica.hasReceived(version, since);
        });
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
