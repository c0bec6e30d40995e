// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.monitoring;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The families of scrapes in the text format of Prometheus: name, type and labels, one a line. */
final class MetricFamilies {

  private static final Pattern TYPE = Pattern.compile("# TYPE (\\w+) (\\w+)");
  private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)})? \\S+");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern PART = Pattern.compile("_(bucket|count|sum|max)$");

  /** Those that a histogram or a quantile has of itself. */
  private static final Set<String> IMPLIED = Set.of("le", "quantile");

  private MetricFamilies() {}

  /** Returns the lines of all scrapes together. */
  static SortedSet<String> of(Collection<String> scrapes) {
    Map<String, String> types = new TreeMap<>();
    Map<String, SortedSet<String>> labels = new TreeMap<>();
    for (String scrape : scrapes) {
      scrape
          .lines()
          .forEach(line -> {
            Matcher type = TYPE.matcher(line);
            if (type.matches()) {
              types.put(type.group(1), type.group(2));
            }
          });
    }
    for (String scrape : scrapes) {
      scrape
          .lines()
          .forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            if (sample.matches()) {
              Set<String> of =
                  labels.computeIfAbsent(family(sample.group(1), types), _ -> new TreeSet<>());
              Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
              while (label.find()) {
                if (!IMPLIED.contains(label.group(1))) {
                  of.add(label.group(1));
                }
              }
            }
          });
    }
    SortedSet<String> lines = new TreeSet<>();
    labels.forEach((name, of) -> lines.add(line(name, types.getOrDefault(name, "untyped"), of)));
    return lines;
  }

  /** Returns one line. */
  static String line(String name, String type, SortedSet<String> labels) {
    return "%s %s %s".formatted(name, type, String.join(",", labels)).strip();
  }

  /** The parts of a histogram or summary, and the maximum beside it, belong to its family. */
  private static String family(String sample, Map<String, String> types) {
    String base = PART.matcher(sample).replaceFirst("");
    String type = types.getOrDefault(base, "");
    return type.equals("histogram") || type.equals("summary") ? base : sample;
  }
}
