// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.probes;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is looked at by a probe.
 *
 * <p>Thread rule: immutable.
 *
 * @param name what it is
 * @param problem why it is not well, or null
 * @param counts whether it decides, or is only shown
 */
public record Check(String name, @Nullable String problem, boolean counts) {

  /** A check that decides. */
  public static Check of(String name, @Nullable String problem) {
    return new Check(name, problem, true);
  }

  /** A check that is only shown. */
  public static Check shown(String name, @Nullable String problem) {
    return new Check(name, problem, false);
  }

  /** Returns whether this check stops the probe from being passed. */
  boolean fails() {
    return counts && problem != null;
  }

  /**
   * What a probe looks at, each time anew.
   *
   * <p>Thread rule: any thread; must not block.
   */
  @FunctionalInterface
  public interface Probe extends Supplier<List<Check>> {}
}
