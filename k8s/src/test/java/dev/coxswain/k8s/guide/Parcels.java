// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.controller.ControllerEnvironment;
import java.time.Duration;
import java.util.List;

/** What {@code docs/guides/api.md} shows of the configuration of a controller. */
final class Parcels {

  record Settings(String vendor, Duration interval, Mode mode, List<String> carriers) {
    enum Mode {
      DRY_RUN,
      SHIP
    }

    static final Settings DEFAULTS =
        new Settings("http://localhost:8080", Duration.ofMinutes(5), Mode.DRY_RUN, List.of("sea"));

    Settings {
      if (interval.isZero()) {
        throw new IllegalArgumentException("interval must not be 0");
      }
    }
  }

  private Parcels() {}

  static Settings settings(ControllerEnvironment environment) {
    Settings settings = environment.config(Settings.DEFAULTS);
    return settings;
  }
}
