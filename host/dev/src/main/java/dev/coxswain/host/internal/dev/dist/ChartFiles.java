// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/**
 * The Helm chart of the source tree.
 *
 * <p>Thread rule: stateless.
 */
public final class ChartFiles {

  private static final String NAME = "coxswain";
  private static final String DESCRIPTION = "Chart.yaml";

  private ChartFiles() {}

  /** Returns the entries of the package of the distribution. */
  static List<TarEntry> of(SourceTree tree, String version) throws IOException {
    List<TarEntry> entries = without(tree, NAME, List.of(DESCRIPTION));
    entries.add(
        TarEntry.text(
            NAME + "/" + DESCRIPTION,
            versioned(Files.readString(tree.chart().resolve(DESCRIPTION)), version)));
    return entries;
  }

  /**
   * Returns the files of the chart below a folder, except some.
   *
   * @param replaced paths in the chart of files that the caller has another content for
   */
  public static List<TarEntry> without(SourceTree tree, String folder, List<String> replaced)
      throws IOException {
    List<TarEntry> entries = new ArrayList<>(TarEntry.tree(folder, tree.chart()));
    entries.removeIf(entry -> entry.name().endsWith("/")); // a package has files alone
    for (String path : replaced) {
      entries.removeIf(entry -> entry.name().equals(folder + "/" + path));
    }
    return entries;
  }

  /** Returns the description of a chart with another version, of itself and of what it installs. */
  public static String versioned(String description, String version) {
    return description.replaceAll("(?m)^(version|appVersion): .*$", "$1: " + version);
  }
}
