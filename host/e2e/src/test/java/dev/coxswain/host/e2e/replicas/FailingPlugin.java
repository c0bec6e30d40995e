// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import dev.coxswain.host.e2e.controller.FailingController;
import dev.coxswain.host.e2e.process.Plugins;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Puts the failing controller where a user would put one of their own. */
final class FailingPlugin {

  private FailingPlugin() {}

  /** Returns the folder to have on the class path. */
  static Path put(Path folder) throws IOException {
    return Plugins.folder(
        folder, FailingController.class, List.of(FailingController.class.getName()));
  }
}
