// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The measurement, small, with a real host and a browser. What it measures is not looked at. */
class DashboardRunIT {
  private static final Path LAUNCHER = Path.of("..", "..", "host", "bin", "coxswain");

  /** More rows than are drawn at once. */
  private static final int CONTROLLERS = 100;

  private static final int ITEMS = 10_000; // each of the 100 namespaces has a page of them

  @TempDir private Path folder;

  @Test
  @Timeout(600)
  void aSmallRun_doesEveryPart_andAllRowsAreInOrder() throws Exception {
    // As in the host's tests of the dashboard: whoever cannot install a browser may do without.
    assumeTrue(System.getProperty("user.name").equals("root") || isInstalled("chromedriver"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Path launcher = LAUNCHER.toAbsolutePath().normalize();
    try (DashboardHost host = DashboardHost.start(launcher, jar(), folder, CONTROLLERS, ITEMS);
        Chrome chrome = Chrome.start(folder)) {
      new DashboardRun(chrome, host, CONTROLLERS, 1, 1)
          .run(ITEMS, new PrintStream(bytes, true, StandardCharsets.UTF_8));
      assertThat(rows(chrome, "sort=name.down", "a >= b")).isGreaterThan(CONTROLLERS);
      assertThat(rows(chrome, "sort=name.up", "a <= b")).isGreaterThan(CONTROLLERS);
      assertThat(rows(chrome, "name=many-01&sort=name.down", "a >= b")).isEqualTo(10);
      assertThat(rows(chrome, "sort=name.up", "a <= b")).isGreaterThan(CONTROLLERS);
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .contains("| overview of all controllers", "| next page of it", "| an item, explained");
  }

  /** Waits until all rows are there and in order, and returns how many they are. */
  private static double rows(Chrome chrome, String query, String order) throws IOException {
    String all = query.startsWith("name=") ? "" : "rows.length > " + CONTROLLERS + " && ";
    return chrome.number(
        "const names = () => [...document.querySelectorAll('.controllers tbody th')].map(th =>"
            + " th.textContent); location.hash = '#/?"
            + query
            + "'; await drawn(() => { const rows = names(); const many = rows.length; return "
            + all
            + "many > 0 && rows.slice(1).every((b, i) => { const a = rows[i]; return "
            + order
            + "; }); }); return names().length");
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
  }

  private static Path jar() throws URISyntaxException {
    return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
