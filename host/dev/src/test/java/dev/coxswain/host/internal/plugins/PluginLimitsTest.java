// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import static dev.coxswain.host.internal.plugins.PluginHost.await;
import static dev.coxswain.testing.PluginJars.definition;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

/** Plug-ins that are too large, and files that cannot be read, beside a plug-in that works. */
class PluginLimitsTest extends PluginFixture {

  private static final byte[] ZEROS = new byte[1 << 20];

  /** Writes a controller and one entry of many zeros, which is small as a file. */
  private void bomb(String name, String path, int mebibytes) throws IOException {
    Map<String, byte[]> entries =
        jars.plugin(List.of("Good"), definition("Good", name.toLowerCase(java.util.Locale.ROOT)));
    boolean first = path.equals("META-INF/MANIFEST.MF"); // where readers of jars expect it
    Path written = work.resolve("bomb.part");
    try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(written));
        JarOutputStream out = new JarOutputStream(file)) {
      out.setLevel(Deflater.BEST_SPEED);
      if (first) {
        fill(out, path, mebibytes);
      }
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        if (!entry.getKey().equals(path)) {
          out.putNextEntry(new JarEntry(entry.getKey()));
          out.write(entry.getValue());
        }
      }
      if (!first) {
        fill(out, path, mebibytes);
      }
    }
    Files.move(written, jar(name));
  }

  private static void fill(JarOutputStream out, String path, int mebibytes) throws IOException {
    out.putNextEntry(new JarEntry(path));
    for (int i = 0; i < mebibytes; i++) {
      out.write(ZEROS);
    }
  }

  @Test
  void anEntryWithoutEnd_fails_whateverItsName() throws Exception {
    bomb("manifest", "META-INF/MANIFEST.MF", 129);
    assertThat(failed("manifest")).contains("larger than 128 MiB");
    bomb("resource", "data.bin", 129);
    assertThat(failed("resource")).contains("larger than 128 MiB");
    bomb("folder", "data/", 129);
    assertThat(failed("folder")).contains("larger than 128 MiB");
    bomb("other-version", "META-INF/versions/999/data.bin", 129);
    assertThat(failed("other-version")).contains("larger than 128 MiB");
  }

  /** Both are read as a whole by the Java platform. */
  @Test
  void aClassOrAListOfServicesWithoutMeasure_fails() throws Exception {
    bomb("class", "Huge.class", 20);
    assertThat(failed("class")).contains("Huge.class", "8 MiB");
    bomb("services", "META-INF/services/dev.coxswain.controller.ControllerDefinition", 2);
    assertThat(failed("services")).contains("META-INF/services/", "1 MiB");
  }

  @Test
  void moreEntriesThanTheLimit_fail_alsoFolders() throws Exception {
    Path written = work.resolve("entries.part");
    try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(written));
        JarOutputStream out = new JarOutputStream(file)) {
      for (int i = 0; i <= 100_000; i++) {
        out.putNextEntry(new JarEntry("f" + i + "/"));
      }
    }
    Files.move(written, jar("entries"));
    assertThat(failed("entries")).contains("more than 100000 entries");
  }

  @Test
  void whatCannotBeRead_failsAlone_andIsDeployedWhenItCanBe() throws Exception {
    Files.createSymbolicLink(jar("dangling"), work.resolve("nowhere.jar"));
    Files.createSymbolicLink(jar("loop"), jar("loop"));
    Files.createDirectories(folder.resolve("inner"));
    Files.createSymbolicLink(folder.resolve("inner/loop.jar"), folder.resolve("inner/loop.jar"));
    jars.write(jar("late"), jars.plugin(List.of("Late"), definition("Late", "late")));

    await(() -> host.running().equals(List.of("good", "late")));
    assertThat(failed("dangling")).contains("symbolic link", "does not exist");
    assertThat(failed("loop")).contains("cannot be read");
    assertThat(failed("inner")).contains("cannot be read");
    assertThat(host.plugins().problem()).isEmpty();

    jars.write(
        work.resolve("nowhere.jar"),
        jars.plugin(List.of("Linked"), definition("Linked", "linked")));
    await(() -> host.running().contains("linked"));
  }

  /** The folder that the file system keeps for itself at the root of a volume. */
  @Test
  void theFolderOfTheFileSystem_isNoPlugin() throws Exception {
    Files.createDirectories(folder.resolve("lost+found"));
    Files.createSymbolicLink(
        folder.resolve("lost+found/loop.jar"), folder.resolve("lost+found/loop.jar"));
    jars.write(jar("late"), jars.plugin(List.of("Late"), definition("Late", "late")));
    await(() -> host.running().equals(List.of("good", "late")));
    assertThat(host.plugins().find("lost+found")).isEmpty();
  }

  @Test
  void morePluginsThanTheLimit_leaveThoseThatRun_andTheRestOut() throws Exception {
    for (int i = 0; i < 110; i++) {
      Files.writeString(jar("a%03d".formatted(i)), "x");
    }
    await(() -> host.plugins().plugins().size() == 100);
    await(() -> host.plugins().problem().contains("more than 100 plug-ins"));
    assertThat(host.running()).containsExactly("good");
    assertThat(host.plugins().find("a109")).isEmpty();
    for (int i = 0; i < 110; i++) {
      Files.delete(jar("a%03d".formatted(i)));
    }
    await(() -> host.plugins().plugins().size() == 1 && host.plugins().problem().isEmpty());
  }
}
