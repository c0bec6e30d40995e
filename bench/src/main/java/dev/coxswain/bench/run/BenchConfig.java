// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import dev.coxswain.controller.ControllerEnvironment;

/**
 * The configuration of one controller of a benchmark: values that must be present.
 *
 * @param controller its name
 * <p>Thread rule: immutable.
 */
public record BenchConfig(String controller, ControllerEnvironment environment) {
  public String text(String key) {
    Object value = environment.config().get(key);
    if (value == null) {
      throw new IllegalArgumentException(
          "controllers." + controller + ".config." + key + " is missing");
    }
    return value.toString();
  }

  public int number(String key) {
    return Integer.parseInt(text(key));
  }
}
