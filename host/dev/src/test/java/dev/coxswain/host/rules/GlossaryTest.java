// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The last noun of a class name is a word of the glossary, or of the list beside the tests. */
class GlossaryTest {

  private static final Path ROOT =
      Path.of(System.getProperty("basedir", "."), "..", "..").toAbsolutePath().normalize();

  private static final String NOUNS = "host/dev/src/test/resources/class-nouns.md";
  private static final int MOST_WORDS = 70;
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\|");
  private static final Pattern NOUN = Pattern.compile("\\b[A-Z][A-Za-z]+\\b");
  private static final Pattern LAST_NOUN = Pattern.compile("[A-Z]+[a-z0-9]*$");

  @Test
  void theLastNounOfAClassName_isAKnownWord() throws IOException {
    Set<String> words =
        words(
            Files.readString(ROOT.resolve("docs/glossary.md"))
                + Files.readString(ROOT.resolve(NOUNS)));
    Map<String, String> unknown = new TreeMap<>();
    int classes = 0;
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(GlossaryTest::isMainClass).toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        Matcher noun = LAST_NOUN.matcher(name);
        classes++;
        if (!noun.find() || !words.contains(noun.group().toLowerCase(Locale.ROOT))) {
          unknown.put(name, ROOT.relativize(file).toString());
        }
      }
    }
    assertThat(classes).as("classes found below %s", ROOT).isGreaterThan(500);
    assertThat(unknown)
        .as("classes whose last noun is neither in docs/glossary.md nor in " + NOUNS)
        .isEmpty();
  }

  /** A reader looks a word up; what only the code has is described there. */
  @Test
  void theGlossary_isShort() throws IOException {
    assertThat(ROW.matcher(Files.readString(ROOT.resolve("docs/glossary.md"))).results().count())
        .isLessThanOrEqualTo(MOST_WORDS);
  }

  private static boolean isMainClass(Path file) {
    String path = ROOT.relativize(file).toString().replace('\\', '/');
    return path.contains("src/main/java/")
        && path.endsWith(".java")
        && !path.contains("/target/")
        && !path.endsWith("-info.java");
  }

  /** The last word of each entry of the tables, and each noun of the list at the end. */
  private static Set<String> words(String glossary) {
    Set<String> words = new HashSet<>();
    Matcher row = ROW.matcher(glossary);
    while (row.find()) {
      for (String entry : row.group(1).split(",", -1)) {
        String word = entry.strip();
        words.add(word.substring(word.lastIndexOf(' ') + 1).toLowerCase(Locale.ROOT));
      }
    }
    int list = glossary.indexOf("### Other nouns");
    assertThat(list).as("the list of other nouns").isPositive();
    Matcher noun = NOUN.matcher(glossary.substring(list));
    while (noun.find()) {
      words.add(noun.group().toLowerCase(Locale.ROOT));
    }
    return words;
  }
}
