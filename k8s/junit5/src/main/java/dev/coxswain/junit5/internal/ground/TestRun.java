// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One test on a ground. The methods are those of {@link dev.coxswain.junit5.CoxswainTest}; one that
 * this ground cannot carry out throws {@link org.opentest4j.TestAbortedException} with the reason.
 *
 * <p>Thread rule: the thread of the test.
 */
public interface TestRun extends AutoCloseable {

  /** What a user has of one cluster. */
  interface Cluster {

    /** Applies definitions of resources. */
    void install(String yaml);

    /** Applies objects. */
    void apply(String yaml);

    /** Returns the client of the user. */
    Kubernetes client();

    /** Returns the faults of the server. */
    Faults faults();
  }

  /** Returns the first cluster, whose client is one of all clusters. */
  Cluster first();

  /** Adds a cluster, before the first process is started; it ends with the test as the first one does. */
  Cluster add(String name);

  /** Starts the first process. */
  void start(List<ControllerDefinition> definitions, Map<String, Object> config);

  /** Waits until nothing is left to do now. */
  void settle();

  /** Lets time pass. */
  void advance(Duration time);

  /** Returns how much time has passed. */
  Duration elapsed();

  /** Ends the process as a crash does, and starts another one. */
  void crash();

  /** Lets another process take over. */
  void handOver();

  /** Returns the handle of a controller, or null when it does not run. */
  @Nullable ControllerHandle handle(String controller);

  /** Returns the names of the controllers. */
  List<String> controllers();

  /** Returns the meters that the controllers have made. */
  MeterRegistry meters();

  /** Waits until what is seen is as expected, and returns it. */
  <T extends @Nullable Object> T eventually(String what, Supplier<T> look, Predicate<T> expected);

  /** Returns what has happened. */
  String timeline();

  /** Explores a scenario. */
  ExplorationReport explore(Scenario scenario);

  /** Runs a scenario with one perturbation. */
  void replay(Scenario scenario, String code);

  /**
   * Returns why this test has no result here, whatever it has caught since: a {@link
   * org.opentest4j.TestAbortedException}, or a refusal that fails the test. Empty when nothing was
   * refused.
   */
  Optional<RuntimeException> refusal();

  /** Ends the processes, and removes the objects of the test. */
  @Override
  void close();
}
