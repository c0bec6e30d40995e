// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page on troubleshooting quotes messages, reasons and conditions that exist. */
class TroubleshootingPageTest {

  private static final Path ROOT =
      Path.of(System.getProperty("basedir", "."), "..", "..").toAbsolutePath().normalize();

  /** A row whose first cell is one quotation. */
  private static final Pattern QUOTED = Pattern.compile("(?m)^\\| `([^`]+)` \\|");

  /** Where a long string literal is continued. */
  private static final Pattern CONTINUED = Pattern.compile("\"\\s*\\+\\s*\"");

  /** Messages that have a name in the middle are quoted up to there. */
  @Test
  void everyQuotation_isInTheCode() throws IOException {
    StringBuilder code = new StringBuilder();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(TroubleshootingPageTest::isMainClass).toList()) {
        code.append(CONTINUED.matcher(Files.readString(file)).replaceAll("")).append('\n');
      }
    }
    String all = code.toString();
    List<String> missing = new ArrayList<>();
    int found = 0;
    Matcher row = QUOTED.matcher(Files.readString(ROOT.resolve("docs/guides/troubleshooting.md")));
    while (row.find()) {
      found++;
      String text = row.group(1);
      if (!text.startsWith("Error from server") && !all.contains(text)) {
        missing.add(text);
      }
    }
    assertThat(found).isGreaterThan(40);
    assertThat(missing).isEmpty();
  }

  private static boolean isMainClass(Path file) {
    String path = ROOT.relativize(file).toString().replace('\\', '/');
    return path.contains("src/main/java/") && path.endsWith(".java") && !path.contains("/target/");
  }
}
