// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.browser;

import dev.coxswain.host.e2e.process.DebianPackages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The browser and its driver, as Debian packages them; nothing is downloaded by any other way.
 *
 * @param browser the program
 * @param driver what drives it, of the same version
 */
public record Chromium(Path browser, Path driver) {

  /**
   * Finds them, and has root install what is missing. The test is skipped for others, and fails
   * when the installation does.
   */
  public static Chromium installed() throws IOException, InterruptedException {
    DebianPackages.install("chromium", "chromium", "chromium-driver");
    return find().orElseThrow(() -> new AssertionError("installed, and yet not on the path"));
  }

  private static Optional<Chromium> find() {
    return DebianPackages.onPath("chromium")
        .flatMap(browser ->
            DebianPackages.onPath("chromedriver").map(driver -> new Chromium(browser, driver)));
  }
}
