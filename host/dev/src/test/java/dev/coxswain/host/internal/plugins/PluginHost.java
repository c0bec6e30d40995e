// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.PluginDirectory.Action;
import dev.coxswain.admin.spi.PluginDirectory.Begun;
import dev.coxswain.admin.spi.PluginDirectory.Plugin;
import dev.coxswain.admin.spi.PluginDirectory.Result;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.controllers.ControllerManager;
import dev.coxswain.host.internal.limiter.RetryBudgets;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.host.internal.webhooks.WebhookComponent;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.sharding.internal.replica.HostSlots;
import dev.coxswain.sharding.internal.replica.ShardedControllers;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** A controller manager with plug-ins, whose only replica owns the only slot. */
final class PluginHost implements AutoCloseable {

  private final Vertx vertx = Vertx.vertx();
  private final Vertx controllers = Vertx.vertx();
  private final HostMetrics metrics = new HostMetrics("test");
  private final Kubernetes kubernetes;
  private final WebhookComponent webhooks;
  private final ControllerManager manager;
  private final PluginManager plugins;

  PluginHost(
      Kubernetes kubernetes, Path folder, List<ControllerDefinition> definitions, String... more) {
    this.kubernetes = kubernetes;
    List<String> settings =
        new ArrayList<>(
            List.of(
                "plugins.directory=" + folder, "plugins.scanInterval=100ms", "webhooks.port=0"));
    settings.addAll(List.of(more));
    CoxswainConfiguration configuration;
    try {
      configuration = ConfigurationLoader.load(null, Map.of(), settings);
    } catch (dev.coxswain.host.internal.config.reader.ConfigurationException e) {
      throw new AssertionError(e);
    }
    webhooks =
        new WebhookComponent(
            vertx, controllers, configuration, definitions, kubernetes, metrics, Clock.system());
    manager =
        new ControllerManager(
            controllers,
            vertx,
            configuration,
            definitions,
            Map.of(Vertx.class, controllers, Kubernetes.class, kubernetes),
            RetryBudgets.local(configuration, Clock.system()),
            ShardedControllers.Share.ALONE,
            metrics,
            Tracing.OFF,
            Clock.system());
    plugins =
        new PluginManager(
            vertx,
            configuration,
            manager,
            webhooks.plugins(),
            definitions.stream().map(ControllerDefinition::name).collect(Collectors.toSet()),
            Clock.system());
    webhooks.start().await();
    plugins.start().await();
    manager.open().await();
    manager.slotControllers().begin(new HostSlots(1, SlotDivision.KEY, _ -> Duration.ofHours(1)));
    manager.slotControllers().open(List.of(term()));
  }

  PluginHost(Kubernetes kubernetes, Path folder) {
    this(kubernetes, folder, List.of());
  }

  private static SlotTerm term() {
    return new SlotTerm() {
      @Override
      public int slot() {
        return 0;
      }

      @Override
      public long epoch() {
        return 1;
      }

      @Override
      public Duration timeLeft() {
        return Duration.ofHours(1);
      }
    };
  }

  ControllerManager manager() {
    return manager;
  }

  PluginManager plugins() {
    return plugins;
  }

  HostMetrics metrics() {
    return metrics;
  }

  Plugin plugin(String name) {
    return plugins
        .find(name)
        .orElseGet(() ->
            new Plugin(
                name,
                dev.coxswain.admin.spi.PluginDirectory.Phase.LOADING,
                "",
                java.time.Instant.EPOCH,
                List.of(),
                "",
                null,
                0));
  }

  Begun begin(String name, Action action) {
    return plugins.begin(name, action).orElseThrow();
  }

  /** Begins an action as soon as the one before has ended. */
  Begun act(String name, Action action) {
    while (true) {
      Begun begun = begin(name, action);
      if (begun.result() != Result.BUSY) {
        return begun;
      }
      Thread.onSpinWait();
    }
  }

  /** Returns the names of the running controllers. */
  List<String> running() {
    return manager.controllers().stream().map(ControllerHandle::name).sorted().toList();
  }

  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("did not become true within 60 s").isNegative();
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Override
  public void close() {
    plugins.stopping();
    manager.stopping();
    manager.close().await();
    plugins.stop().await();
    webhooks.stop().await();
    controllers.close().await();
    vertx.close().await();
    metrics.close();
    kubernetes.close();
  }
}
