// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.archetype.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** That Maven makes the right project of them is tested with Maven, in {@code ArchetypeIT}. */
class ArchetypeWriterTest {

  /** The start of a directive or comment of Velocity, and all references but those to Maven's properties. */
  private static final Pattern VELOCITY =
      Pattern.compile(
          "#[#*@{a-zA-Z]|\\$(?!\\{(groupId|artifactId|version|package|className|coxswain\\.[a-z]+)})");

  @Test
  void noNameOfTheTemplate_isLeft_andNothingElseMeansSomethingToVelocity() {
    assertThat(ArchetypeWriter.files())
        .containsKeys(".gitignore", "src/main/java/__className__.java")
        .hasSize(8)
        .allSatisfy((name, text) -> assertThat(text).as(name).doesNotContainPattern(VELOCITY));
    ProjectTemplateTest.assertNoNameOfTheTemplate(ArchetypeWriter.files());
  }

  @Test
  void theDescriptor_hasTheRulesOfTheTemplate() throws IOException {
    String descriptor;
    try (var in =
        ArchetypeWriter.class.getResourceAsStream("/META-INF/maven/archetype-metadata.xml")) {
      descriptor = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
    assertThat(descriptor).contains("<defaultValue>" + ProjectTemplate.VERSION + "</defaultValue>");
    List<String> rules =
        Pattern.compile("<validationRegex>(.+)</validationRegex>")
            .matcher(descriptor)
            .results()
            .map((MatchResult rule) -> rule.group(1))
            .toList();
    assertThat(rules).hasSize(2).first().isEqualTo(ProjectTemplate.NAME.pattern());
    Pattern className = Pattern.compile(rules.getLast());
    assertThat(ProjectTemplate.USED).allMatch(name -> !className.matcher(name).matches());
    assertThat(List.of("Greeter", "OrderSync", "Maps", "TestRunner"))
        .allMatch(name -> className.matcher(name).matches());
  }
}
