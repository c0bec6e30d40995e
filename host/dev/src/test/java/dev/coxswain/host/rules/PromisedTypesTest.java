// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A promise is made on purpose: the public types outside of {@code internal} packages are listed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(1) // with the others, which share the classes
class PromisedTypesTest {

  private final JavaClasses classes = MainClasses.get();

  private static final int MOST = 210;
  private static final Pattern PACKAGE = Pattern.compile("- `([\\w.]+)`:((?:\\s+\\w+,?)+)");

  /** Not published, or not for other projects. */
  private static final Set<String> UNPROMISED = Set.of("testing", "examples", "host");

  @Test
  void theListOfPromisedTypes_isComplete_andNoLongerThanItMayBe() throws IOException {
    Set<String> promised = new TreeSet<>();
    for (JavaClass type : classes) {
      if (type.isTopLevelClass()
          && type.getModifiers().contains(JavaModifier.PUBLIC)
          && !(type.getPackageName() + ".").contains(".internal.")
          && !UNPROMISED.contains(type.getName().split("\\.", -1)[2])) {
        promised.add(type.getName());
      }
    }
    // A generated builder goes with its record.
    promised.removeIf(name ->
        name.endsWith("Builder")
            && promised.contains(name.substring(0, name.length() - "Builder".length())));

    assertThat(promised).isEqualTo(listed()).hasSizeLessThanOrEqualTo(MOST);
  }

  /** The host promises commands, configuration, metrics and HTTP, and no class. */
  @Test
  void everyTypeOfTheHost_isInternal() {
    assertThat(classes)
        .filteredOn(type -> (type.getPackageName() + ".").startsWith("dev.coxswain.host."))
        .isNotEmpty()
        .allMatch(type -> type.getPackageName().startsWith("dev.coxswain.host.internal"));
  }

  private static Set<String> listed() throws IOException {
    Set<String> names = new TreeSet<>();
    String text = Files.readString(Path.of("src/test/resources/promised-types.md"));
    Matcher line = PACKAGE.matcher(text);
    while (line.find()) {
      for (String name : line.group(2).strip().split(",\\s+", -1)) {
        assertThat(names.add(line.group(1) + "." + name)).as("%s twice", name).isTrue();
      }
    }
    return names;
  }
}
