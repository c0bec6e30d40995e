// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.junit5.internal.run.TimelineLog;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A test in real time.
 *
 * <p>Thread rule: the thread of the test; {@link #refuse}, {@link #owns} and {@link #wrote} any thread.
 */
final class RealRun implements TestRun {

  /** How long nothing must happen, so that a response on its way is not overlooked. */
  private static final Duration QUIET = Duration.ofMillis(200);

  /** More than a test should wait for. */
  private static final Duration LONGEST_ADVANCE = Duration.ofSeconds(10);

  private static final String LIMIT_PROPERTY = "coxswain.cluster.limit";
  private static final Duration LIMIT = Duration.ofSeconds(Long.getLong(LIMIT_PROPERTY, 60));
  private static final Duration FIRST_LOOK = Duration.ofSeconds(2);
  private static final Duration POLL = Duration.ofMillis(10);

  private final RealGround ground;
  private final long begin = System.nanoTime();
  private final TimelineLog log = new TimelineLog(() -> System.nanoTime() - begin);
  private final RealCluster first;

  /** By their names, in whose order the first one is the first. */
  private final SortedMap<String, RealCluster> clusters = new ConcurrentSkipListMap<>();

  private final AtomicLong writes = new AtomicLong();
  private final AtomicReference<@Nullable RuntimeException> refusal = new AtomicReference<>();
  private List<ControllerDefinition> definitions = List.of();
  private Map<String, Object> config = Map.of();
  private @Nullable RealReplica replica;
  private int replicas;

  RealRun(RealGround ground) {
    this.ground = ground;
    this.first = new RealCluster(this, "", ground);
    clusters.put("", first);
  }

  /** Notes a write to a cluster. */
  void wrote(String who, String indent, String cluster, Response response) {
    wrote();
    Request request = response.request();
    String in = cluster.isEmpty() ? "" : " in " + cluster;
    log.add(
        who,
        indent
            + request.method()
            + " "
            + request.url().encodedPath()
            + in
            + "  "
            + response.code());
  }

  /** Notes a write, and returns the number of all. */
  long wrote() {
    return writes.incrementAndGet();
  }

  TimelineLog log() {
    return log;
  }

  /** Returns all clusters, the first one first. */
  Collection<RealCluster> clusters() {
    return clusters.values();
  }

  /** Returns whether controllers may act on objects of a namespace in one of the clusters. */
  boolean owns(String namespace) {
    return clusters.values().stream().anyMatch(one -> one.ground().owns(namespace));
  }

  /** Notes what the test must not do here, and returns it; the first one is its result. */
  RuntimeException refuse(RuntimeException reason) {
    refusal.compareAndSet(null, reason);
    return reason;
  }

  private RuntimeException cannot(String call, String reason) {
    return refuse(
        new TestAbortedException(
            "%s cannot run on %s: %s; without -D%s it runs in virtual time"
                .formatted(call, ground.describe(), reason, Ground.PROPERTY)));
  }

  @Override
  public Optional<RuntimeException> refusal() {
    return Optional.ofNullable(refusal.get());
  }

  void requireAllowed() {
    RuntimeException refused = refusal.get();
    if (refused != null) {
      throw refused;
    }
  }

  private <T> T checked(Supplier<T> call) {
    try {
      return call.get();
    } catch (TestAbortedException e) {
      throw refuse(e);
    }
  }

  @Override
  public Cluster first() {
    return first;
  }

  @Override
  public Cluster add(String name) {
    RealGround other = checked(() -> ground.cluster(name));
    other.beginTest();
    RealCluster added = new RealCluster(this, name, other);
    clusters.put(name, added);
    first.join(clusters.values().stream().skip(1).toList());
    return added;
  }

  @Override
  public void start(List<ControllerDefinition> all, Map<String, Object> configuration) {
    definitions = List.copyOf(all);
    config = Map.copyOf(configuration);
    startReplica();
  }

  private void startReplica() {
    RealReplica next = new RealReplica(this, ++replicas);
    replica = next;
    checked(() -> {
      next.start(ground, definitions, config);
      return next;
    });
  }

  private RealReplica owner() {
    RealReplica running = replica;
    if (running == null) {
      throw new IllegalStateException("no controllers run; call run(...) first");
    }
    return running;
  }

  /** Waits in real time. */
  void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(
            late("waited %s s in vain until %s".formatted(LIMIT.toSeconds(), what)));
      }
      pause(() -> "waited until " + what);
    }
  }

  private void pause(Supplier<String> what) {
    requireAllowed();
    if (Thread.currentThread().isInterrupted()) {
      throw new AssertionError("interrupted: " + what.get());
    }
    LockSupport.parkNanos(POLL.toNanos());
  }

  private String late(String what) {
    return "%s; -D%s sets another limit, in seconds%ntimeline:%n%s"
        .formatted(what, LIMIT_PROPERTY, log.all());
  }

  @Override
  public void settle() {
    String left = settle(LIMIT);
    if (!left.isEmpty()) {
      throw new AssertionError(
          late("not settled within %s s: %s".formatted(LIMIT.toSeconds(), left)));
    }
  }

  /**
   * Nothing is left to do when nothing was written or received for a moment, no request is ready or
   * in flight, and a new read of all watched collections shows nothing that an informer has not received.
   *
   * @return what is left at the limit; empty when nothing is
   */
  private String settle(Duration limit) {
    requireAllowed();
    RealReplica running = replica;
    if (running == null) {
      settleServers();
      return "";
    }
    long end = System.nanoTime() + limit.toNanos();
    long seen = progress(running);
    long since = System.nanoTime();
    while (true) {
      Optional<String> left = running.busy();
      long now = System.nanoTime();
      long progress = progress(running);
      if (progress != seen) {
        seen = progress;
        since = now;
      }
      if (left.isEmpty() && now - since >= QUIET.toNanos()) {
        settleServers();
        left = running.behind();
        if (left.isEmpty() && running.busy().isEmpty() && progress(running) == seen) {
          return "";
        }
        since = System.nanoTime();
      }
      if (now - end > 0) {
        return left.orElse("something changes all the time");
      }
      pause(() -> "not settled");
    }
  }

  private void settleServers() {
    clusters.values().forEach(one -> one.ground().settle());
  }

  private long progress(RealReplica running) {
    return writes.get() + running.events();
  }

  @Override
  public void advance(Duration time) {
    if (time.compareTo(LONGEST_ADVANCE) > 0) {
      throw cannot(
          "advance(" + time + ")",
          "it would take that long, and more than %s s are not waited for"
              .formatted(LONGEST_ADVANCE.toSeconds()));
    }
    requireAllowed();
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      pause(() -> "time passed");
    }
    settle();
  }

  @Override
  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  @Override
  public void crash() {
    requireAllowed();
    log.add("test", "the process crashes");
    owner().crash();
    startReplica();
    settle();
  }

  @Override
  public void handOver() {
    throw cannot("handOver()", "there is one process, which owns everything until it ends");
  }

  @Override
  public @Nullable ControllerHandle handle(String controller) {
    return owner().handle(controller);
  }

  @Override
  public List<String> controllers() {
    return owner().controllers();
  }

  @Override
  public MeterRegistry meters() {
    return owner().meters();
  }

  @Override
  public <T extends @Nullable Object> T eventually(
      String what, Supplier<T> look, Predicate<T> expected) {
    settle(FIRST_LOOK); // a controller is first, as in virtual time
    long end = System.nanoTime() + LIMIT.toNanos();
    T seen = look.get();
    while (!expected.test(seen)) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(
            late(
                "waited in vain until %s, for %s s%nseen last: %s%n"
                    .formatted(what, LIMIT.toSeconds(), seen)));
      }
      pause(() -> "waited until " + what);
      seen = look.get();
    }
    requireAllowed();
    return seen;
  }

  @Override
  public String timeline() {
    return log.all();
  }

  @Override
  public ExplorationReport explore(Scenario scenario) {
    throw cannot("explore(...)", "it repeats a scenario in virtual time");
  }

  @Override
  public void replay(Scenario scenario, String code) {
    throw cannot("replay(...)", "it repeats a scenario in virtual time");
  }

  @Override
  public void close() {
    RealReplica running = replica;
    replica = null;
    try {
      if (running != null) {
        try {
          clusters.values().forEach(one -> one.ground().removeObjects());
        } finally {
          running.close();
        }
      }
    } finally {
      clusters.values().forEach(RealCluster::close);
    }
  }
}
