// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.reconcile.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The code of the guides on testing, exploring and samples. */
@ExtendWith(CoxswainExtension.class)
class GuideTest {

  private static final Pattern JAVA = Pattern.compile("(?s)```java\n(.*?)```");

  private static final Path MODULE = Path.of(System.getProperty("basedir", ".")).toAbsolutePath();
  private static final Path SAMPLES = MODULE.resolve("src/test/java/dev/coxswain/junit5/samples");

  private static String phase(CoxswainTest kit) {
    Site site = kit.client().resource(Site.class).get(Request.of("default", "shop")).orElseThrow();
    return String.valueOf(site.status().phase());
  }

  @Test
  void aSite_becomesReady_afterAFailure(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.run(SeededBugs.statusOfWhatExists());
    kit.faults().failNext(1, 500, Duration.ZERO, uri -> uri.contains("configmaps"));
    kit.apply(Site.yaml("shop", 1, "hello"));

    kit.settle();
    assertThat(kit.queue("site").delayed()).isEqualTo(1);

    kit.eventually("the site is ready", () -> phase(kit), "Ready"::equals);
  }

  @Test
  void aSite_endsTheSame_whateverFails(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(SeededBugs.statusOfWhatExists())
            .install(Site.DEFINITION)
            .apply("a site is created", Site.yaml("shop", 1, "hello"))
            .apply("it changes", Site.yaml("shop", 2, "hello"))
            .then(
                "it is deleted",
                k8s -> k8s.resource(Site.class).delete(Request.of("default", "shop")))
            .mayDiffer("Site", "status.message");

    kit.explore(scenario).verify();
  }

  /** Otherwise the guides would show code that no compiler has seen. */
  @Test
  void eachLineOfJavaInTheGuides_isInThisFile() throws IOException {
    Path guides = MODULE.resolve("../../docs/guides");
    String code =
        Files.readString(MODULE.resolve("src/test/java/dev/coxswain/junit5/GuideTest.java"))
            + Files.readString(MODULE.resolve("src/test/java/dev/coxswain/junit5/SeededBugs.java"))
            + Files.readString(
                MODULE.resolve(
                    "../../verticles/testkit/src/test/java/dev/coxswain/testkit/TestAttemptTest.java"))
            + Files.readString(
                MODULE.resolve(
                    "../../verticles/testkit/src/test/java/dev/coxswain/testkit/GivingUpTest.java"))
            + Files.readString(SAMPLES.resolve("memcached/MemcachedController.java"))
            + Files.readString(SAMPLES.resolve("visitors/VisitorsAppController.java"))
            + Files.readString(SAMPLES.resolve("webpage/WebPageController.java"))
            + Files.readString(SAMPLES.resolve("propagation/PropagationController.java"))
            + Files.readString(SAMPLES.resolve("propagation/PropagationControllerTest.java"));
    int lines = 0;
    for (String guide : List.of("exploring.md", "testing.md", "samples.md")) {
      Matcher block = JAVA.matcher(Files.readString(guides.resolve(guide)));
      while (block.find()) {
        for (String line : block.group(1).split("\n", -1)) {
          assertThat(code).as("the code of %s", guide).contains(line.strip());
          lines++;
        }
      }
    }
    assertThat(lines).isGreaterThan(10);
  }

  @Test
  void lineCountsOfTheSamples_areThoseOfTheFiles() throws IOException {
    String guide = Files.readString(MODULE.resolve("../../docs/guides/samples.md"));
    for (String sample :
        List.of("memcached/Memcached", "visitors/VisitorsApp", "webpage/WebPage")) {
      assertThat(guide)
          .contains(
              "here | %d | %d | 0 |"
                  .formatted(
                      lines(SAMPLES, sample + ".java"),
                      lines(SAMPLES, sample + "Controller.java")));
    }
    Path kotlin = MODULE.resolve("../../examples/samples-kotlin/src");
    assertThat(guide)
        .contains(
            "here (Kotlin) | %d | %d | 0 |"
                .formatted(
                    lines(kotlin, "main/kotlin/mysqlschema/MySQLSchema.kt"),
                    lines(kotlin, "main/kotlin/mysqlschema/MySQLSchemaController.kt")
                        + lines(kotlin, "main/kotlin/mysqlschema/Database.kt")))
        .contains(
            "the Visitors Site have %d lines"
                .formatted(lines(SAMPLES, "visitors/VisitorsAppControllerTest.java")),
            "the MySQL schema have %d lines"
                .formatted(lines(kotlin, "test/kotlin/mysqlschema/MySQLSchemaControllerTest.kt")));
    assertThat(guide)
        .contains(
            "here | 0 | %d | 0 |"
                .formatted(lines(SAMPLES, "propagation/PropagationController.java")));
  }

  private static long lines(Path folder, String file) throws IOException {
    return Files.readAllLines(folder.resolve(file)).stream()
        .map(String::strip)
        .filter(line -> !line.matches("|//.*|/?\\*.*|import .*|package .*"))
        .count();
  }
}
