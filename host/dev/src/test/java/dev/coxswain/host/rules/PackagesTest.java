// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The rooms of the house: small packages, without cycles, each in one module. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(1) // with the others, which share the classes
class PackagesTest {

  private static final int MAX_FILES = 20;
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", "."), "..", "..").toAbsolutePath().normalize();

  private final JavaClasses classes = MainClasses.get();

  @Test
  void packages_haveNoCycles() {
    slices().matching("dev.coxswain.(**)").should().beFreeOfCycles().check(classes);
  }

  @Test
  void hazelcast_isImportedInOnePackage() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.coxswain.limiter.internal.hazelcast")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.hazelcast..")
        .check(classes);
  }

  @Test
  void openTelemetry_isImportedInOnePackage() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.coxswain.host.internal.tracing")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.opentelemetry..")
        .check(classes);
  }

  @Test
  void aPackage_hasAtMostTwentyFiles_aDescription_andOneModule() throws IOException {
    Map<String, Set<Path>> modules = new TreeMap<>();
    Map<String, Integer> large = new TreeMap<>();
    Set<String> undescribed = new HashSet<>();
    for (Path sources : sources()) {
      try (Stream<Path> folders = Files.walk(sources)) {
        for (Path folder : folders.filter(Files::isDirectory).toList()) {
          int files = files(folder);
          if (files == 0) {
            continue;
          }
          String name = sources.relativize(folder).toString().replace('/', '.');
          modules.computeIfAbsent(name, _ -> new HashSet<>()).add(sources);
          if (files > MAX_FILES) {
            large.put(name, files);
          }
          if (!Files.exists(folder.resolve("package-info.java"))) {
            undescribed.add(name);
          }
        }
      }
    }
    assertThat(modules).hasSizeGreaterThan(80);
    assertThat(large).as("packages of more than %s files", MAX_FILES).isEmpty();
    assertThat(undescribed).as("packages without package-info.java").isEmpty();
    modules.values().removeIf(all -> all.size() == 1);
    assertThat(modules).as("packages in more than one module").isEmpty();
  }

  private static Set<Path> sources() throws IOException {
    Set<Path> all = new HashSet<>();
    try (Stream<Path> poms = Files.find(ROOT, 3, (path, _) -> path.endsWith("pom.xml"))) {
      for (Path pom : poms.toList()) {
        Path java = pom.resolveSibling(Path.of("src", "main", "java"));
        if (Files.isDirectory(java)) {
          all.add(java);
        }
      }
    }
    return all;
  }

  private static int files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return (int) files.filter(file -> file.toString().endsWith(".java")).count();
    }
  }
}
