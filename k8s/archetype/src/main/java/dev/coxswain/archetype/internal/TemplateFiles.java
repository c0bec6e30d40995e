// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.archetype.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The files of the template, which are packaged with this class, and those that are made of them. */
public final class TemplateFiles {

  private TemplateFiles() {}

  /**
   * Writes files below a folder, which is created.
   *
   * @param files texts by paths
   * @param options how each is opened, such as {@code CREATE_NEW}; files are replaced without any
   * @throws IOException when one of them cannot be written
   */
  public static void write(Path folder, Map<String, String> files, OpenOption... options)
      throws IOException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.toAbsolutePath().getParent());
      Files.writeString(path, file.getValue(), options);
    }
  }

  /** Returns the path of a file, which is given as that in Java, in the language of a project. */
  public static String path(String file, boolean kotlin) {
    return kotlin
        ? file.replaceFirst("^src/(main|test)/java/(.*)\\.java$", "src/$1/kotlin/$2.kt")
        : file;
  }

  /** Returns the text of a file of the template. */
  static String text(String file) {
    try (InputStream in = TemplateFiles.class.getResourceAsStream("template/" + file)) {
      if (in == null) {
        throw new IllegalStateException("the template has no file " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a text with other names, all replaced in one pass: a new name may contain an old one. Where
   * several begin, the first one in the order of the map is taken.
   */
  static String replaced(String text, Map<String, String> names) {
    Pattern any =
        Pattern.compile(
            names.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|")));
    return any.matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(String.valueOf(names.get(found.group()))));
  }
}
