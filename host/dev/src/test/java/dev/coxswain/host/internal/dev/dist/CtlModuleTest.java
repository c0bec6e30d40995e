// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import dev.coxswain.ctl.Ctl;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The program that has {@code ctl} alone has all that it uses, and of Java no more. */
class CtlModuleTest {

  /** Of a dependency between packages, as {@code jdeps -verbose:package} prints it. */
  private static final Pattern USE =
      Pattern.compile("(?m)^ +(\\S+) +-> (\\S+) +(not found|java\\.\\S+|jdk\\.\\S+)");

  @TempDir private Path folder;

  @Test
  void itUses_theModulesOfItsRuntime_andNoOtherJars() throws Exception {
    Path ctl = jar(Ctl.class);
    Set<String> used = new TreeSet<>();
    Matcher uses = USE.matcher(jdeps(ctl, jar(JsonFactory.class), jar(Yaml.class)));
    while (uses.find()) {
      String what = uses.group(3).equals("not found") ? uses.group(2) : uses.group(3);
      used.add((uses.group(1).startsWith("dev.coxswain") ? "ctl " : "library ") + what);
    }
    used.removeAll(
        Set.of(
            "ctl org.jspecify.annotations", // no code reads them
            "library java.desktop", // of beans
            "library java.sql")); // of their times
    assertThat(used)
        .containsExactlyInAnyOrderElementsOf(
            List.of("ctl", "library").stream()
                .flatMap(who -> CtlModule.REQUIRED.stream().map(module -> who + " " + module))
                .collect(Collectors.toSet()));
  }

  @Test
  void theModule_hasTheVersion_andTheClassesForThisJava() throws Exception {
    CtlModule.write(List.of(jar(JsonFactory.class), jar(Yaml.class)), "1.2.3-rc", folder);
    ModuleReference module = ModuleFinder.of(folder).find(CtlModule.NAME).orElseThrow();
    assertThat(module.descriptor().rawVersion()).contains("1.2.3-rc");
    assertThat(module.descriptor().requires().stream().map(ModuleDescriptor.Requires::name))
        .containsExactlyElementsOf(CtlModule.REQUIRED);
    assertThat(module.descriptor().exports()).isEmpty();
    assertThat(folder.resolve("META-INF")).doesNotExist();
    try (var files = Files.walk(folder)) {
      assertThat(files.filter(file -> file.endsWith("module-info.class"))).hasSize(1);
    }
  }

  private static Path jar(Class<?> of) throws Exception {
    return Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static String jdeps(Path... jars) {
    List<String> arguments = new ArrayList<>(List.of("--multi-release=25", "-verbose:package"));
    for (Path jar : jars) {
      arguments.add(jar.toString());
    }
    return ImageModulesTest.jdeps(arguments.toArray(String[]::new));
  }
}
