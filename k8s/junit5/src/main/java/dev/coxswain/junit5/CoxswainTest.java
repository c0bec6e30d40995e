// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.junit5.internal.ground.TestRun;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.QueueSnapshot;
import dev.coxswain.view.QueuedItem;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A cluster with controllers in virtual time, for one test. With {@code -Dcoxswain.cluster} the same test
 * runs in real time, see the last paragraphs.
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
 * <p>{@code -Dcoxswain.cluster=embedded} uses an embedded server over HTTP, a kubeconfig file (or {@code
 * kubeconfig}, for that of kubectl; with {@code #CONTEXT}) a cluster, both in real time. Reconcilers then run
 * on threads of their own. At a cluster a test changes only what it has made: it needs namespaces of its own,
 * which are created and deleted with their objects. A call that a ground cannot carry out throws {@link
 * org.opentest4j.TestAbortedException}, which stays the result of the test when it is caught.
 *
 * <p>Thread rule: the thread of the test.
 */
public final class CoxswainTest {

  /** How long {@link #eventually} waits, in virtual time; in real time it is 60 s. */
  public static final Duration DEFAULT_LIMIT = Duration.ofMinutes(10);

  /** A DNS label, as in the configuration of a host. */
  private static final Pattern CLUSTER = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  /** The end of the name of another property. */
  private static final String RESERVED = "limit";

  private final TestRun run;
  private final Cluster first;
  private final Map<String, Cluster> clusters = new TreeMap<>();
  private boolean started;

  /**
   * What a user does in one further cluster. {@link #settle} and {@link #advance} are for all together.
   *
   * <p>Thread rule: the thread of the test.
   */
  public static final class Cluster {

    private final TestRun.Cluster cluster;

    private Cluster(TestRun.Cluster cluster) {
      this.cluster = cluster;
    }

    /** Applies definitions of resources there, see {@link CoxswainTest#install}. */
    public void install(String yaml) {
      cluster.install(yaml);
    }

    /**
     * Applies objects there, see {@link CoxswainTest#apply}. Webhooks of controllers are those of the first
     * cluster only.
     */
    public void apply(String yaml) {
      cluster.apply(yaml);
    }

    /** Returns a client for its user. */
    public Kubernetes client() {
      return cluster.client();
    }

    /** Returns the faults of its API server. */
    public Faults faults() {
      return cluster.faults();
    }
  }

  CoxswainTest(TestRun run) {
    this.run = run;
    this.first = new Cluster(run.first());
  }

  /**
   * Applies definitions of resources, unless they are there; they stay for all tests of the class.
   *
   * @throws IllegalArgumentException for two different definitions of one name in a test
   */
  public void install(String yaml) {
    first.install(yaml);
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
    first.apply(yaml);
  }

  /**
   * Returns a client for the user of the cluster, which has the {@linkplain #cluster further ones} by name;
   * its requests have no faults but those of the servers.
   */
  public Kubernetes client() {
    return first.client();
  }

  /** Returns the faults of the API server. */
  public Faults faults() {
    return first.faults();
  }

  /**
   * Returns a further cluster, which exists from the first call with its name on: name all before {@link
   * #run} or {@link #explore}. Controllers have it by {@link Kubernetes#cluster}. It is empty at the start
   * of the test, and at the same time as the first one. On a real cluster it is the one that {@code
   * -Dcoxswain.cluster.NAME} names; without that the test is aborted.
   *
   * @param name a DNS label, as in {@code kubernetes.clusters} of a host
   * @throws IllegalArgumentException for another name, and when controllers run without this cluster
   */
  public Cluster cluster(String name) {
    Cluster known = clusters.get(name);
    if (known != null) {
      return known;
    }
    if (!CLUSTER.matcher(name).matches() || name.equals(RESERVED)) {
      throw new IllegalArgumentException(
          "a cluster cannot be named \"%s\": use a-z, 0-9 and '-', but not \"%s\""
              .formatted(name, RESERVED));
    }
    if (started) {
      throw new IllegalArgumentException(
          "the controllers run without cluster \"%s\": call cluster(\"%s\") before run(...); there are %s"
              .formatted(name, name, clusters.keySet()));
    }
    Cluster added = new Cluster(run.add(name));
    clusters.put(name, added);
    return added;
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
    started = true;
    run.start(List.of(definitions), config);
  }

  /** Lets everything happen that needs no time: events, attempts, and what follows from them. */
  public void settle() {
    run.settle();
  }

  /** Lets time pass: retries, delays and what follows from them. In real time at most 10 s. */
  public void advance(Duration time) {
    run.advance(time);
  }

  /** Returns how much time has passed, virtual or real. */
  public Duration elapsed() {
    return run.elapsed();
  }

  /** Ends the process as a crash does and starts another one with the same controllers. */
  public void crash() {
    run.crash();
  }

  /**
   * Lets another process take over; the writes of the former one are refused from now on, and it
   * goes on running.
   */
  public void handOver() {
    run.handOver();
  }

  /**
   * Returns the read model and the commands of a controller; pass its futures to {@link #await}.
   *
   * @throws IllegalArgumentException when no such controller runs
   */
  public ControllerHandle controller(String name) {
    ControllerHandle handle = run.handle(name);
    if (handle == null) {
      throw new IllegalArgumentException(
          "no controller \"" + name + "\" runs; there are " + run.controllers());
    }
    return handle;
  }

  /** Returns the meters that the controllers have made themselves, in the process that owns the objects now. */
  public MeterRegistry meters() {
    return run.meters();
  }

  /** Returns the counters of a queue: what is ready, delayed, in flight. */
  public QueueSnapshot queue(String controller) {
    run.settle();
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
    return run.eventually(what, look, expected);
  }

  /** Returns what has happened: events, attempts, writes. */
  public String timeline() {
    return run.timeline();
  }

  /**
   * Runs a scenario, then again with one perturbation at a time. The objects of this test are lost.
   *
   * @return the report; {@link ExplorationReport#verify} fails when a run broke a law
   * @throws AssertionError when the scenario is not deterministic, or breaks a law without a
   *     perturbation
   */
  public ExplorationReport explore(Scenario scenario) {
    return run.explore(scenario);
  }

  /**
   * Runs a scenario with one perturbation and fails when it breaks a law.
   *
   * @param code the perturbation as reports name it, such as {@code crash-after:3}
   * @throws AssertionError with the report
   */
  public void replay(Scenario scenario, String code) {
    run.replay(scenario, code);
  }

  Optional<RuntimeException> refusal() {
    return run.refusal();
  }

  void close() {
    run.close();
  }
}
