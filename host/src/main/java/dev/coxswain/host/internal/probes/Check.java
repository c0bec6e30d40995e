// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A check of a probe.
 *
 * <p>Thread rule: immutable.
 *
 * @param name its name
 * @param problem the fault, or null
 * @param counts whether it decides the probe, or is only shown
 */
public record Check(String name, @Nullable String problem, boolean counts) {

  /** Returns a check that decides the probe. */
  public static Check of(String name, @Nullable String problem) {
    return new Check(name, problem, true);
  }

  /** Returns a check that is only shown. */
  public static Check shown(String name, @Nullable String problem) {
    return new Check(name, problem, false);
  }

  /** Returns whether this check fails the probe. */
  boolean fails() {
    return counts && problem != null;
  }

  /**
   * The source of the checks of a probe, called each time.
   *
   * <p>Thread rule: any thread; must not block.
   */
  @FunctionalInterface
  public interface Probe extends Supplier<List<Check>> {}
}
