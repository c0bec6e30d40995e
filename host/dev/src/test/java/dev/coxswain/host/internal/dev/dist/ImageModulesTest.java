// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.fleet.VendorServer;
import dev.coxswain.internal.loop.ClassNames;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The modules of Java in the image, and what is said about those that are not. */
class ImageModulesTest {

  private static final Path GUIDE = Path.of("../../docs/guides/deploying.md");

  private final Set<String> image =
      Configuration.resolve(
              ModuleFinder.ofSystem(),
              List.of(ModuleLayer.empty().configuration()),
              ModuleFinder.of(),
              ImageRuntime.MODULES)
          .modules()
          .stream()
          .map(ResolvedModule::name)
          .collect(Collectors.toCollection(TreeSet::new));

  @Test
  void theImage_hasWhatTheExamplesUse() throws Exception {
    Path classes =
        Path.of(VendorServer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String modules =
        jdeps(
            "--ignore-missing-deps",
            "--multi-release=base",
            "--print-module-deps",
            classes.toString());
    assertThat(image).contains(modules.strip().split(",", -1));
  }

  /** Runs {@code jdeps}, and returns what it prints. */
  static String jdeps(String... arguments) {
    StringWriter printed = new StringWriter();
    PrintWriter output = new PrintWriter(printed, true);
    int code = ToolProvider.findFirst("jdeps").orElseThrow().run(output, output, arguments);
    assertThat(code).as(printed.toString()).isZero();
    return printed.toString();
  }

  /** Each exported package is in the image, or its module is named to the author. */
  @Test
  void aClassOfAModuleThatIsLeftOut_isReportedWithItsModule() {
    int leftOut = 0;
    for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
      String name = module.descriptor().name();
      if (image.contains(name)) {
        continue;
      }
      for (ModuleDescriptor.Exports exported : module.descriptor().exports()) {
        if (!exported.isQualified()) {
          leftOut++;
          String type = exported.source() + ".Type";
          for (Throwable failure :
              List.of(
                  new NoClassDefFoundError(type.replace('.', '/')),
                  new ClassNotFoundException(type))) {
            assertThat(ClassNames.missingModule(failure, image::contains))
                .contains("the module " + name + ",", "use an image with a complete JDK");
          }
        }
      }
    }
    assertThat(leftOut).isGreaterThan(20);
    Throwable own = new NoClassDefFoundError("com/example/Missing");
    assertThat(ClassNames.missingModule(own, image::contains)).isEmpty();
    Throwable present = new NoClassDefFoundError("java/beans/Introspector");
    assertThat(ClassNames.missingModule(present, _ -> true)).isEmpty();
  }

  @Test
  void theGuide_listsTheModules() throws Exception {
    String guide = Files.readString(GUIDE);
    Set<String> missing = new TreeSet<>(image);
    missing.removeIf(module -> guide.contains("`" + module + "`"));
    missing.removeIf(module -> module.startsWith("jdk.internal."));
    assertThat(missing).isEmpty();
  }
}
