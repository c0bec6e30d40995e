// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The pages of the examples, so that tests compare their tables with what was measured. */
public final class Pages {

  private static final Path DOCS =
      Path.of(System.getProperty("basedir", "."), "..", "docs").toAbsolutePath().normalize();

  private Pages() {}

  /** Returns the page of an example. */
  public static String page(String example) throws IOException {
    return Files.readString(DOCS.resolve("guides/examples/" + example + ".md"));
  }

  /** Returns the file of an image. */
  public static Path image(String name) {
    return DOCS.resolve("images/" + name);
  }

  /** Returns the rows of a table, found by the head of its first column. */
  public static List<String> table(String example, String head) throws IOException {
    return page(example)
        .lines()
        .dropWhile(line -> !line.startsWith("| " + head + " |"))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .toList();
  }
}
