// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between the documents lead to what exists, and each document is found from the index. */
class DocumentationLinksTest {

  private static final Path ROOT =
      Path.of(System.getProperty("basedir", "."), "..", "..").toAbsolutePath().normalize();

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
  private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```");

  private final Map<Path, Set<String>> anchors = new HashMap<>();

  private static List<Path> documents() throws IOException {
    List<Path> all = new ArrayList<>();
    for (String name :
        List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "VERSIONING.md")) {
      all.add(ROOT.resolve(name));
    }
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(all::add);
    }
    return all;
  }

  private static String text(Path document) throws IOException {
    return FENCE.matcher(Files.readString(document)).replaceAll("");
  }

  /** The anchors that a page of Markdown has on the usual forges: one for each heading. */
  private Set<String> anchors(Path document) throws IOException {
    Set<String> known = anchors.get(document);
    if (known == null) {
      known = new HashSet<>();
      Matcher heading = HEADING.matcher(text(document));
      while (heading.find()) {
        String words = LINK.matcher(heading.group(1)).replaceAll("").toLowerCase(Locale.ROOT);
        known.add(words.replaceAll("[^\\p{L}\\p{N} _-]", "").strip().replace(' ', '-'));
      }
      anchors.put(document, known);
    }
    return known;
  }

  @Test
  void everyLink_leadsToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path document : documents()) {
      Matcher link = LINK.matcher(text(document));
      while (link.find()) {
        String target = link.group(1);
        if (target.contains("://") || target.startsWith("mailto:")) {
          continue;
        }
        links++;
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty() ? document : document.resolveSibling(path).normalize();
        boolean leads =
            Files.exists(file) && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
        if (!leads) {
          broken.add(ROOT.relativize(document) + ": " + target);
        }
      }
    }
    assertThat(links).isGreaterThan(200);
    assertThat(broken).isEmpty();
  }

  @Test
  void everyGuideAndReference_isInTheIndex() throws IOException {
    Path index = ROOT.resolve("docs/README.md");
    Set<Path> linked = new HashSet<>();
    Matcher link = LINK.matcher(text(index));
    while (link.find()) {
      linked.add(index.resolveSibling(link.group(1).replaceFirst("#.*", "")).normalize());
    }
    Set<String> missing = new TreeSet<>();
    for (Path document : documents()) {
      String path = ROOT.relativize(document).toString().replace('\\', '/');
      boolean hasOwnIndex =
          path.startsWith("docs/adr/") || path.startsWith("docs/guides/examples/");
      if (path.startsWith("docs/")
          && !hasOwnIndex
          && !document.equals(index)
          && !linked.contains(document)) {
        missing.add(path);
      }
    }
    assertThat(missing).isEmpty();
  }
}
