// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The archive of {@code ctl} alone, for people who have neither the host nor a JDK: the launcher, a
 * run-time image of Java, and the license texts. It has no links, because krew unpacks none.
 *
 * <p>Thread rule: immutable.
 *
 * @param version the version of the distribution
 * @param system the operating system as Go has it, such as {@code linux}
 * @param processor the processor as Go has it, such as {@code amd64}
 */
record CtlArchive(String version, String system, String processor) {

  /** The launcher, in the folder that the archive has. */
  static final String PROGRAM = "coxswain-ctl";

  /** Returns the archive for the platform of this process. */
  static CtlArchive ofThisPlatform(String version) {
    String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    return new CtlArchive(
        version, name.startsWith("mac") ? "darwin" : name, ImageWriter.architecture());
  }

  /** Returns the name of its only folder. */
  String folder() {
    return "%s-%s-%s-%s".formatted(PROGRAM, version, system, processor);
  }

  String file() {
    return folder() + ".tar.gz";
  }

  /** Makes what is missing and returns the entries. */
  List<TarEntry> entries(SourceTree tree, Sbom sbom) throws IOException, HostException {
    List<Path> jars = CtlModule.jars(tree);
    Path runtime = new CtlRuntime(tree, jars, version).make();
    String top = folder();
    List<TarEntry> entries = new ArrayList<>();
    entries.add(TarEntry.folder(top));
    entries.add(TarEntry.program(top + "/" + PROGRAM, Resources.text(CtlArchive.class, PROGRAM)));
    entries.add(TarEntry.file(top + "/ctl.options", tree.bin().resolve("ctl.options")));
    for (TarEntry entry : TarEntry.tree(top + "/java", runtime)) {
      if (entry.link() != null) {
        throw new HostException(
            "the run-time image has a link, which krew does not unpack: " + entry.name());
      }
      entries.add(entry);
    }
    for (String name : List.of("LICENSE", "NOTICE")) {
      entries.add(TarEntry.file(top + "/" + name, tree.root().resolve(name)));
    }
    entries.add(TarEntry.folder(top + "/licenses"));
    String java =
        "%s %s: GPL-2.0-with-classpath-exception, in java/legal\n"
            .formatted(
                ImageFiles.javaRelease("IMPLEMENTOR", "OpenJDK"),
                ImageFiles.javaRelease("JAVA_RUNTIME_VERSION", ""));
    entries.add(TarEntry.text(top + "/licenses/THIRD-PARTY.txt", sbom.licenses(jars) + java));
    for (Path jar : jars) {
      entries.addAll(ArchiveFiles.texts(jar, top + "/licenses/"));
    }
    return entries;
  }
}
