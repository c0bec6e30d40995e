// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Paths of a container, and the folders of this machine that stand for them in arguments and variables: without the
 * rights of root nothing can be mounted.
 *
 * <p>Thread rule: immutable.
 */
final class PodPaths {

  private final Map<String, Path> folders;
  private final Pattern paths;

  /** Creates it from at least one absolute path and its folder. */
  PodPaths(Map<String, Path> folders) {
    this.folders = Map.copyOf(folders);
    this.paths =
        Pattern.compile(
            folders.keySet().stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .map(Pattern::quote)
                .collect(Collectors.joining("|", "(?<![^\\s=:,@\"])(", ")(?![^/\\s:,\"])")));
  }

  /** Returns a text with the folder in each place where a path begins. */
  String in(String text) {
    return paths
        .matcher(text)
        .replaceAll(found ->
            Matcher.quoteReplacement(
                String.valueOf(Objects.requireNonNull(folders.get(found.group(1)), "a path"))));
  }
}
