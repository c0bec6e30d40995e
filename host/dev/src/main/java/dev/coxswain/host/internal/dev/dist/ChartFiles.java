// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of the Helm chart, with the version of the build.
 *
 * <p>Thread rule: stateless.
 */
final class ChartFiles {

  private static final String NAME = "coxswain";
  private static final String DESCRIPTION = "Chart.yaml";

  private ChartFiles() {}

  /** Returns the entries of the package, as {@code helm package} has them. */
  static List<TarEntry> of(SourceTree tree, String version) throws IOException {
    Path chart = tree.root().resolve("host/chart");
    List<TarEntry> entries = new ArrayList<>(TarEntry.tree(NAME, chart));
    entries.removeIf(entry -> entry.name().endsWith("/")); // a package has files alone
    entries.removeIf(entry -> entry.name().equals(NAME + "/" + DESCRIPTION));
    String description =
        Files.readString(chart.resolve(DESCRIPTION))
            .replaceAll("(?m)^(version|appVersion): .*$", "$1: " + version);
    entries.add(TarEntry.text(NAME + "/" + DESCRIPTION, description));
    return entries;
  }
}
