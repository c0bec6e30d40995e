// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.sharding.internal.view.SlotReadiness;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The checks of readiness besides the controllers; a failing informer is shown with its cause.
 *
 * @param slots the readiness of the slots
 * @param parts the checks of the components, in the order in which they are shown
 */
record ReplicaChecks(Supplier<SlotReadiness> slots, List<Check.Probe> parts, Kubernetes kubernetes)
    implements Check.Probe {

  @Override
  public List<Check> get() {
    List<Check> checks = new ArrayList<>();
    SlotReadiness ofSlots = slots.get();
    checks.add(new Check("slots", orNull(ofSlots.problem()), ofSlots.counts()));
    parts.forEach(part -> checks.addAll(part.get()));
    for (CacheStatus cache : kubernetes.caches()) {
      cache
          .problem()
          .ifPresent(problem -> checks.add(Check.shown("cache/" + cache.name(), problem)));
    }
    return checks;
  }

  /** Returns the check of the replica Lease without a shared limiter. */
  static Check lease(String problem) {
    return Check.shown("replica-lease", orNull(problem));
  }

  private static @Nullable String orNull(String problem) {
    return problem.isEmpty() ? null : problem;
  }
}
