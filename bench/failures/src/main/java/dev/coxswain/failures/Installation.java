// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.failures;

import dev.coxswain.failures.storm.StormController;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** Where things are that have been built. */
final class Installation {
  private Installation() {}

  /** Returns what must be on the class path of a replica for it to have the storm. */
  static Path stormJar() {
    try {
      return Path.of(
          StormController.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("a place on disk is a valid URI", e);
    }
  }
}
