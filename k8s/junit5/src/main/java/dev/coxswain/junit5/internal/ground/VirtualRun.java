// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

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
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A test in virtual time; it can do everything.
 *
 * <p>Thread rule: the thread of the test, on which reconcilers run too.
 */
final class VirtualRun implements TestRun {

  /** Of virtual time. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final TestServer server;
  private @Nullable RunDriver driver;
  private volatile boolean exploring;

  VirtualRun(TestServer server) {
    this.server = server;
  }

  /**
   * The driver begins with its first use, since an exploration in the same test has runs of its
   * own.
   */
  private RunDriver driver() {
    RunDriver begun = driver;
    if (begun == null) {
      server.clear();
      begun = new RunDriver(server, new RunPolicy());
      driver = begun;
    }
    begun.serverChanged(); // by any client, or by a fault
    return begun;
  }

  @Override
  public Cluster first() {
    return new VirtualCluster("");
  }

  @Override
  public Cluster add(String name) {
    driver().add(name);
    return new VirtualCluster(name);
  }

  private final class VirtualCluster implements Cluster {
    private final String name;

    VirtualCluster(String name) {
      this.name = name;
    }

    @Override
    public void install(String yaml) {
      server().install(yaml);
    }

    private TestServer server() {
      return name.isEmpty() ? server : server.add(name);
    }

    @Override
    public void apply(String yaml) {
      driver().apply(name, yaml);
    }

    @Override
    public Kubernetes client() {
      Kubernetes user = driver().user();
      return name.isEmpty() ? user : user.cluster(name);
    }

    @Override
    public Faults faults() {
      // An exploration has runs of its own; the begin of that of the test would empty the server.
      return exploring ? server().api().faults() : driver().server(name).faults();
    }
  }

  @Override
  public void start(List<ControllerDefinition> definitions, Map<String, Object> config) {
    driver().start(definitions, config);
  }

  @Override
  public void settle() {
    driver().settle();
  }

  @Override
  public void advance(Duration time) {
    driver().advance(time);
  }

  @Override
  public Duration elapsed() {
    return driver().time().elapsed();
  }

  @Override
  public void crash() {
    driver().owner().crash();
    driver().settle();
  }

  @Override
  public void handOver() {
    TestReplica former = driver().owner();
    former.loseOwnership();
    former.dropSlots();
    driver().startReplica(Map.of());
    driver().settle();
  }

  @Override
  public @Nullable ControllerHandle handle(String controller) {
    return driver().owner().handle(controller);
  }

  @Override
  public List<String> controllers() {
    return driver().owner().controllers();
  }

  @Override
  public MeterRegistry meters() {
    return driver().owner().meters();
  }

  @Override
  public <T extends @Nullable Object> T eventually(
      String what, Supplier<T> look, Predicate<T> expected) {
    RunDriver running = driver();
    long end = running.time().nanos() + LIMIT.toNanos();
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

  @Override
  public String timeline() {
    return driver().log().all();
  }

  @Override
  public ExplorationReport explore(Scenario scenario) {
    return exploring(scenario, Explorer::explore);
  }

  @Override
  public void replay(Scenario scenario, String code) {
    exploring(scenario, explorer -> explorer.replay(Perturbation.parse(code))).verify();
  }

  private ExplorationReport exploring(
      Scenario scenario, Function<Explorer, ExplorationReport> explore) {
    endRun();
    exploring = true;
    try {
      return explore.apply(new Explorer(server, scenario));
    } finally {
      exploring = false;
    }
  }

  @Override
  public Optional<RuntimeException> refusal() {
    return Optional.empty();
  }

  private void endRun() {
    RunDriver begun = driver;
    driver = null;
    if (begun != null) {
      begun.close();
    }
  }

  @Override
  public void close() {
    try {
      endRun();
    } finally {
      server.endTest();
    }
  }
}
