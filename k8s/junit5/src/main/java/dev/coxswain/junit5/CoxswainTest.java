// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.junit5.internal.run.RunDriver;
import dev.coxswain.junit5.internal.run.RunPolicy;
import dev.coxswain.junit5.internal.run.TestReplica;
import dev.coxswain.junit5.internal.run.TestServer;
import dev.coxswain.junit5.internal.search.Explorer;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.QueueSnapshot;
import dev.coxswain.view.QueuedItem;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster with controllers in virtual time, for one test.
 *
 * <p>The engine, the Kubernetes client, the informers and the API server are those of production and
 * of {@code coxswain dev}. Controllers act only while a method here runs: {@link #settle} lets
 * everything happen that needs no time, {@link #advance} lets time pass. So a backoff of minutes is
 * tested in milliseconds. Reconcilers run on the thread of the test, one attempt after the other,
 * and take no time.
 *
 * <p>A controller that is a {@link dev.coxswain.k8s.webhook.WebhookDefinition} has its webhooks: the
 * API server calls them in this process, without TLS, as long as the test runs.
 *
 * <p>The API server stamps objects with that time. Its wall clock begins with the tests of a class, so
 * that all runs of an exploration have the same time of day. In real time are: the expiry of tokens
 * and events, sources other than watches, and threads that a controller starts itself.
 *
 * <p>Thread rule: the thread of the test.
 */
public final class CoxswainTest {

  /** How long {@link #eventually} waits, in virtual time. */
  public static final Duration DEFAULT_LIMIT = Duration.ofMinutes(10);

  private final TestServer server;
  private @Nullable RunDriver driver;

  CoxswainTest(TestServer server) {
    this.server = server;
  }

  /**
   * The driver begins with its first use, since an exploration in the same test has runs of its
   * own.
   */
  private RunDriver driver() {
    RunDriver begun = driver;
    if (begun == null) {
      server.api().faults().reset();
      server.api().state().clear();
      begun = new RunDriver(server, new RunPolicy());
      driver = begun;
    }
    begun.serverChanged(); // by any client, or by a fault
    return begun;
  }

  /**
   * Applies definitions of resources, unless they are there; they stay for all tests of the class.
   *
   * @throws IllegalArgumentException for two different definitions of one name in a test
   */
  public void install(String yaml) {
    server.install(yaml);
  }

  /**
   * Applies objects as {@code kubectl apply --server-side} does: what an earlier call applied and this
   * one lacks is removed, what controllers and others have added stays; a definition is replaced as
   * a whole. The webhooks of running controllers decide on them.
   *
   * @throws IllegalArgumentException for objects that the API server refuses; the message has the
   *     reason, such as that of a webhook
   */
  public void apply(String yaml) {
    driver().apply(yaml);
  }

  /** Returns a client for the user of the cluster; its requests have no faults but those of the server. */
  public Kubernetes client() {
    return driver().user();
  }

  /** Returns the faults of the API server. */
  public Faults faults() {
    return server.api().faults();
  }

  /**
   * Starts a process with some controllers and waits until they have read all objects. Called once
   * in a test.
   *
   * @throws IllegalArgumentException when two controllers have one name
   */
  public void run(ControllerDefinition... definitions) {
    run(Map.of(), definitions);
  }

  /** Starts a process with some controllers and their configuration. */
  public void run(Map<String, Object> config, ControllerDefinition... definitions) {
    driver().start(List.of(definitions), config);
  }

  /** Lets everything happen that needs no time: events, attempts, and what follows from them. */
  public void settle() {
    driver().settle();
  }

  /** Lets time pass: retries, delays and what follows from them. */
  public void advance(Duration time) {
    driver().advance(time);
  }

  /** Returns how much virtual time has passed. */
  public Duration elapsed() {
    return driver().time().elapsed();
  }

  /** Ends the process as a crash does and starts another one with the same controllers. */
  public void crash() {
    driver().owner().crash();
    driver().settle();
  }

  /**
   * Lets another process take over; the writes of the former one are refused from now on, and it
   * goes on running.
   */
  public void handOver() {
    TestReplica former = driver().owner();
    former.loseOwnership();
    former.dropSlots();
    driver().startReplica(0);
    driver().settle();
  }

  /**
   * Returns the read model and the commands of a controller; pass its futures to {@link #await}.
   *
   * @throws IllegalArgumentException when no such controller runs
   */
  public ControllerHandle controller(String name) {
    ControllerHandle handle = driver().owner().handle(name);
    if (handle == null) {
      throw new IllegalArgumentException(
          "no controller \"" + name + "\" runs; there are " + driver().owner().controllers());
    }
    return handle;
  }

  /** Returns the meters that the controllers have made themselves, in the process that owns the objects now. */
  public MeterRegistry meters() {
    return driver().owner().meters();
  }

  /** Returns the counters of a queue: what is ready, delayed, in flight. */
  public QueueSnapshot queue(String controller) {
    driver().settle();
    return controller(controller).snapshot();
  }

  /** Returns the first {@value ControllerHandle#MAX_PAGE} items of a queue. */
  public List<QueuedItem> items(String controller) {
    return await(controller(controller).list(ItemFilter.ALL, null, ControllerHandle.MAX_PAGE))
        .items();
  }

  /** Waits in virtual time for a future of a controller, and returns its result. */
  public <T> T await(Future<T> future) {
    eventually("the future completes", future::isComplete, complete -> complete);
    if (future.failed()) {
      throw new AssertionError("the future failed", future.cause());
    }
    return future.result();
  }

  /**
   * Waits in virtual time until what is seen is as expected, at most {@link #DEFAULT_LIMIT}.
   *
   * @param what the condition, for the failure
   * @param look returns what is to be checked; called often
   * @param expected the condition
   * @return what was seen last
   * @throws AssertionError with what was seen last and the timeline
   */
  public <T extends @Nullable Object> T eventually(
      String what, Supplier<T> look, Predicate<T> expected) {
    RunDriver running = driver();
    long end = running.time().nanos() + DEFAULT_LIMIT.toNanos();
    running.settle();
    T seen = look.get();
    while (!expected.test(seen)) {
      Duration left = Duration.ofNanos(end - running.time().nanos());
      if (left.isNegative() || !running.advanceToNext(left)) {
        throw new AssertionError(
            "waited in vain until "
                + what
                + "\nseen last: "
                + seen
                + "\ntimeline:\n"
                + running.log().all());
      }
      seen = look.get();
    }
    return seen;
  }

  /** Returns what has happened: events, attempts, writes. */
  public String timeline() {
    return driver().log().all();
  }

  /**
   * Runs a scenario, then again with one perturbation at a time. The objects of this test are lost.
   *
   * @return the report; {@link ExplorationReport#verify} fails when a run broke a law
   * @throws AssertionError when the scenario is not deterministic, or breaks a law without a
   *     perturbation
   */
  public ExplorationReport explore(Scenario scenario) {
    close();
    return new Explorer(server, scenario).explore();
  }

  /**
   * Runs a scenario with one perturbation and fails when it breaks a law.
   *
   * @param code the perturbation as reports name it, such as {@code crash-after:3}
   * @throws AssertionError with the report
   */
  public void replay(Scenario scenario, String code) {
    close();
    new Explorer(server, scenario).replay(Perturbation.parse(code)).verify();
  }

  void close() {
    server.beginUse();
    RunDriver begun = driver;
    driver = null;
    if (begun != null) {
      begun.close();
    }
    server.api().faults().reset();
  }
}
