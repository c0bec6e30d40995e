// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.config.KeyReference;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The files of the archive: launcher, jars, a configuration with all defaults and its schema, licenses, bill of
 * materials. Development sessions are left out.
 *
 * <p>Thread rule: stateless.
 */
final class ArchiveFiles {

  private static final Pattern LEGAL_TEXT =
      Pattern.compile(
          "(META-INF/)?(LICENSE|LICENCE|NOTICE|COPYING)[^/]*", Pattern.CASE_INSENSITIVE);

  private ArchiveFiles() {}

  /** Returns the entries below a folder of the tar file. */
  static List<TarEntry> of(SourceTree tree, Sbom sbom, String folder)
      throws IOException, HostException {
    List<TarEntry> entries = new ArrayList<>();
    for (String name : List.of("", "/bin", "/lib", "/conf", "/licenses")) {
      entries.add(TarEntry.folder(folder + name));
    }
    try (Stream<Path> files = Files.list(tree.bin())) {
      for (Path file : files.toList()) {
        entries.add(TarEntry.file(folder + "/bin/" + file.getFileName(), file));
      }
    }
    for (Path jar : tree.jars()) {
      entries.add(TarEntry.file(folder + "/lib/" + jar.getFileName(), jar));
    }
    entries.add(TarEntry.file(folder + "/classpath", tree.app().resolve("classpath")));
    String defaults = Resources.text(Version.class, "defaults.yaml");
    entries.add(TarEntry.text(folder + "/conf/coxswain.yaml", defaults));
    entries.add(
        TarEntry.text(folder + "/conf/coxswain.schema.json", KeyReference.of(defaults).schema()));
    entries.addAll(legal(tree, sbom, folder));
    return entries;
  }

  /** Returns the licenses of the host and of all jars, and the bill of materials. */
  static List<TarEntry> legal(SourceTree tree, Sbom sbom, String folder)
      throws IOException, HostException {
    List<TarEntry> entries = new ArrayList<>();
    for (String name : List.of("LICENSE", "NOTICE")) {
      entries.add(TarEntry.file(folder + "/" + name, tree.root().resolve(name)));
    }
    entries.add(TarEntry.bytes(folder + "/sbom.json", sbom.toJson()));
    entries.add(TarEntry.text(folder + "/licenses/THIRD-PARTY.txt", sbom.licenses()));
    for (Path jar : tree.jars()) {
      entries.addAll(texts(jar, folder + "/licenses/"));
    }
    return entries;
  }

  /** Returns the license texts and notices in a jar. */
  static List<TarEntry> texts(Path jar, String folder) throws IOException {
    List<TarEntry> entries = new ArrayList<>();
    String name = jar.getFileName().toString().replaceFirst("\\.jar$", "");
    try (JarFile file = new JarFile(jar.toFile())) {
      for (ZipEntry entry : file.stream().toList()) {
        String path = entry.getName();
        if (entry.isDirectory()
            || !LEGAL_TEXT.matcher(path).matches()
            || path.toLowerCase(Locale.ROOT).endsWith(".class")) {
          continue;
        }
        try (InputStream in = file.getInputStream(entry)) {
          entries.add(
              TarEntry.bytes(
                  folder + name + "/" + path.replace("META-INF/", ""), in.readAllBytes()));
        }
      }
    }
    if (!entries.isEmpty()) {
      entries.add(TarEntry.folder(folder + name));
    }
    return entries;
  }
}
