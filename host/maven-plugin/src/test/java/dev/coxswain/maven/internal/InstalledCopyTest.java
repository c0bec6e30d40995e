// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.maven.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The copy of the runtime, as the launcher and the commands find it. */
class InstalledCopyTest {

  private static final String FILES = "dev/coxswain/host/internal/dev/copy/";

  @TempDir private Path folder;

  @Test
  void theCopy_hasTheJarsInTheirOrder_andTheFilesOfTheJarOfDevelopment() throws IOException {
    Path launcher = write("one", Optional.empty());
    Path copy = folder.resolve("copy");
    assertThat(launcher).isEqualTo(copy.resolve("bin/coxswain")).hasContent("one");
    assertThat(copy.resolve("chart/values.yaml")).hasContent("one");
    assertThat(copy.resolve("lib/coxswain-host-launcher.jar")).hasContent("host");
    assertThat(copy.resolve("classpath")).hasContent("lib/zeta-1.jar:lib/alpha-1.jar");
    assertThat(copy.resolve("lib/zeta-1.jar")).hasContent("zeta");
    assertThat(copy.resolve("dev/coxswain-host-dev-launcher.jar")).exists();
    assertThat(copy.resolve("dev/classpath"))
        .as("without those of the host")
        .hasContent("dev/beta-1.jar");
    assertThat(copy.resolve("sbom.json")).doesNotExist();
  }

  @Test
  void theSameFiles_leaveTheCopyAsItIs() throws IOException {
    write("one", Optional.empty());
    Path kept = Files.writeString(folder.resolve("copy/chart/kept"), "");
    write("one", Optional.empty());
    assertThat(kept).exists();
  }

  @Test
  void aChangedFile_makesTheCopyAnew_butForWhatImagesAreMadeOf() throws IOException {
    write("one", Optional.empty());
    Path former = Files.writeString(folder.resolve("copy/chart/former"), "");
    Path image = Files.createDirectory(folder.resolve("copy/image"));
    Path bill = Files.writeString(folder.resolve("bill.json"), "{}");
    assertThat(write("another", Optional.of(bill.toFile()))).hasContent("another");
    assertThat(former).doesNotExist();
    assertThat(image).exists();
    assertThat(folder.resolve("copy/sbom.json")).hasContent("{}");
  }

  @Test
  void aCopyThatWasNotCompleted_isMadeAnew() throws IOException {
    Path launcher = write("one", Optional.empty());
    Files.delete(folder.resolve("copy/.contents"));
    Files.delete(launcher);
    assertThat(write("one", Optional.empty())).exists();
  }

  @Test
  void anEntryThatLeadsOutOfTheFolder_isRefused() {
    assertThatThrownBy(() -> write("../../../out", Optional.empty()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("leads out of the folder");
    assertThat(folder.resolve("out")).doesNotExist();
  }

  /** Writes a copy with jars of which that of development has a text, or a file of that name. */
  private Path write(String text, Optional<File> bill) throws IOException {
    File zeta = file("zeta");
    Map<String, File> production = new LinkedHashMap<>();
    production.put("coxswain-host-1.jar", file("host"));
    production.put("zeta-1.jar", zeta);
    production.put("alpha-1.jar", file("alpha"));
    Map<String, File> development = new LinkedHashMap<>();
    development.put("coxswain-host-dev-1.jar", jar(text));
    development.put("zeta-1.jar", zeta);
    development.put("beta-1.jar", file("beta"));
    return InstalledCopy.write(production, development, bill, folder.resolve("copy"));
  }

  private File file(String name) throws IOException {
    Path file = folder.resolve(name);
    return Files.exists(file) ? file.toFile() : Files.writeString(file, name).toFile();
  }

  private File jar(String text) throws IOException {
    Path jar = folder.resolve("dev.jar");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (String name : new String[] {"bin/coxswain", "chart/values.yaml", text}) {
        out.putNextEntry(new ZipEntry(FILES + name));
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.closeEntry();
      }
    }
    Files.setLastModifiedTime(jar, FileTime.fromMillis(1000L * text.length()));
    return jar.toFile();
  }
}
