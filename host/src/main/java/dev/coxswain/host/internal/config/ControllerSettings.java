// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.retry.Composition;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one controller; a null part leaves the choice to the author of the controller.
 *
 * <p>Thread rule: immutable.
 *
 * @param enabled whether it runs at all
 * @param concurrency see {@link ControllerOptions#concurrency}
 * @param reconcileTimeout see {@link ControllerOptions#reconcileTimeout}
 * @param backoff see {@link ControllerOptions#backoff}
 * @param composition see {@link ControllerOptions#composition}
 * @param budget see {@link ControllerOptions#budget}
 * @param failureCooldown see {@link ControllerOptions#failureCooldown}
 * @param fairFlows see {@link ControllerOptions#fairFlows}
 * @param agingStep see {@link ControllerOptions#agingStep}
 * @param ownership see {@link ControllerOptions#ownership}
 * @param syncTimeout see {@link ControllerOptions#syncTimeout}
 * @param threads see {@link ControllerOptions#threads}
 * @param watchNamespaces the namespaces that it watches, empty for those of the host
 * @param guarded whether dropping and flushing items is refused; {@code protected} in the file
 * @param config the controller's own part
 * @param origin the place of these settings, such as file and line; empty when there are none
 */
public record ControllerSettings(
    boolean enabled,
    @Nullable Integer concurrency,
    @Nullable Duration reconcileTimeout,
    @Nullable BackoffSettings backoff,
    @Nullable Composition composition,
    @Nullable String budget,
    @Nullable Duration failureCooldown,
    @Nullable Boolean fairFlows,
    @Nullable Duration agingStep,
    ControllerOptions.@Nullable Ownership ownership,
    @Nullable Duration syncTimeout,
    ControllerOptions.@Nullable Threads threads,
    Set<String> watchNamespaces,
    boolean guarded,
    Map<String, Object> config,
    String origin) {

  /** Settings without any value. */
  public static final ControllerSettings NONE =
      new ControllerSettings(
          true, null, null, null, null, null, null, null, null, null, null, null, Set.of(), false,
          Map.of(), "");

  public ControllerSettings {
    watchNamespaces = Set.copyOf(watchNamespaces);
  }

  /**
   * Parts of an exponential backoff; null for those of the author.
   *
   * @param base the first delay
   * @param max the largest delay
   * @param jitter the largest random share to add, from 0 to 1
   */
  public record BackoffSettings(
      @Nullable Duration base, @Nullable Duration max, @Nullable Double jitter) {}

  /** Returns the author's options with these settings applied. */
  public ControllerOptions applyTo(ControllerOptions options) {
    return options.with(result -> {
      set(result::concurrency, concurrency);
      set(result::reconcileTimeout, reconcileTimeout);
      if (backoff != null) {
        result.backoff(options.backoff().with(backoff.base(), backoff.max(), backoff.jitter()));
      }
      set(result::composition, composition);
      set(result::budget, budget);
      set(result::failureCooldown, failureCooldown);
      set(result::fairFlows, fairFlows);
      set(result::agingStep, agingStep);
      set(result::ownership, ownership);
      set(result::syncTimeout, syncTimeout);
      set(result::threads, threads);
    });
  }

  /** Returns these settings with those of others that can change while the controller runs. */
  public ControllerSettings reloaded(ControllerSettings next) {
    return new ControllerSettings(
        enabled,
        next.concurrency,
        reconcileTimeout,
        backoff,
        composition,
        budget,
        failureCooldown,
        fairFlows,
        agingStep,
        ownership,
        syncTimeout,
        threads,
        next.watchNamespaces,
        guarded,
        config,
        origin);
  }

  private static <T> void set(Consumer<T> component, @Nullable T value) {
    if (value != null) {
      component.accept(value);
    }
  }

  /**
   * Returns the environment of the controller.
   *
   * @param use what the services are for, such as {@code " for webhooks"}; empty for the controller
   */
  public ControllerEnvironment environment(
      Map<Class<?>, Object> services, String use, Clock clock) {
    return new Environment(services, use, config, clock);
  }

  private record Environment(
      Map<Class<?>, Object> services, String use, Map<String, Object> config, Clock clock)
      implements ControllerEnvironment {

    @Override
    public <T> T get(Class<T> type) {
      Object service = services.get(type);
      if (service == null) {
        throw new IllegalStateException(
            "this host has no %s%s; it has %s"
                .formatted(
                    type.getName(),
                    use,
                    services.keySet().stream().map(Class::getName).sorted().toList()));
      }
      return type.cast(service);
    }
  }
}
