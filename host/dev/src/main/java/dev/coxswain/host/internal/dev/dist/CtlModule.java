// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.ModuleAttribute;
import java.lang.constant.ModuleDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The classes of {@code ctl} and of its libraries as one module of Java, because {@code jlink} takes
 * modules alone. In a run-time image they need no jars, whose times class archives depend on.
 *
 * <p>Thread rule: stateless.
 */
final class CtlModule {

  static final String NAME = "dev.coxswain.ctl";
  static final String MAIN = NAME + "/dev.coxswain.ctl.Ctl";

  /**
   * What {@code ctl} uses of Java. Since Java 22 the elliptic curves of TLS are in java.base.
   * SnakeYAML uses java.desktop for objects of classes that are beans, and {@code ctl} has none.
   */
  static final List<String> REQUIRED = List.of("java.base");

  private static final List<String> JARS = List.of("coxswain-ctl", "jackson-core", "snakeyaml");

  private CtlModule() {}

  /** Returns the jars of {@code ctl} and its libraries. */
  static List<Path> jars(SourceTree tree) throws IOException, HostException {
    List<Path> jars =
        tree.jars().stream()
            .filter(jar ->
                JARS.stream()
                    .anyMatch(name -> jar.getFileName().toString().matches(name + "-\\d.*")))
            .toList();
    if (jars.size() != JARS.size()) {
      throw new HostException("expected a jar of each of " + JARS + ", found " + jars);
    }
    return jars;
  }

  /** Writes the module into an empty folder. */
  static void write(List<Path> jars, String version, Path folder) throws IOException {
    for (Path jar : jars) {
      try (JarFile file = new JarFile(jar.toFile(), false, ZipFile.OPEN_READ, Runtime.version())) {
        for (ZipEntry entry : file.versionedStream().toList()) {
          String name = entry.getName();
          if (entry.isDirectory()
              || name.startsWith("META-INF/")
              || name.equals("module-info.class")) {
            continue;
          }
          Path target = folder.resolve(name).normalize();
          if (!target.startsWith(folder)) {
            throw new IOException(jar + " has an entry outside of it: " + name);
          }
          Files.createDirectories(target.resolveSibling("."));
          try (InputStream in = file.getInputStream(entry)) {
            Files.copy(in, target);
          }
        }
      }
    }
    Files.write(folder.resolve("module-info.class"), descriptor(version));
  }

  private static byte[] descriptor(String version) {
    return ClassFile.of()
        .buildModule(
            ModuleAttribute.of(
                ModuleDesc.of(NAME),
                module -> {
                  module.moduleVersion(version);
                  for (String required : REQUIRED) {
                    module.requires(
                        ModuleDesc.of(required),
                        required.equals("java.base") ? ClassFile.ACC_MANDATED : 0,
                        null);
                  }
                }));
  }
}
