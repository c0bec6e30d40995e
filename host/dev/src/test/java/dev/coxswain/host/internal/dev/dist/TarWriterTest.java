// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarWriterTest {

  private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
  private static final String LONG = "a".repeat(80) + "/" + "b".repeat(90);

  @TempDir private Path folder;

  @Test
  void theOrderOfTheEntries_doesNotMatter() throws Exception {
    TarEntry one = TarEntry.text("one", "1");
    TarEntry two = TarEntry.text("two", "2");
    assertThat(tar(List.of(one, two))).isEqualTo(tar(List.of(two, one)));
  }

  @Test
  void tar_readsNamesContentsLinksAndTimes() throws Exception {
    Path file =
        Files.write(
            folder.resolve("some.tar"),
            tar(
                List.of(
                    TarEntry.folder("d"),
                    TarEntry.text("d/empty", ""),
                    TarEntry.text("d/block", "x".repeat(512)),
                    TarEntry.text(LONG, "long"),
                    TarEntry.link("d/link", "block"))));
    assertThat(run("tar", "--utc", "--numeric-owner", "-tvf", file.toString()).lines())
        .allMatch(line -> line.contains(" 0/0 ") && line.contains("2026-01-01 00:00"))
        .anyMatch(line -> line.startsWith("drwxr-xr-x") && line.endsWith(" d/"))
        .anyMatch(line -> line.startsWith("-rw-r--r--") && line.contains(" 512 "))
        .anyMatch(line -> line.endsWith(" d/link -> block"))
        .anyMatch(line -> line.endsWith(" " + LONG));
    assertThat(run("tar", "-xOf", file.toString(), LONG)).isEqualTo("long");
  }

  @Test
  void namesThatDoNotFit_andNamesGivenTwice_areRefused() {
    assertThatThrownBy(() -> tar(List.of(TarEntry.text("c".repeat(101), ""))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too long for a tar file");
    assertThatThrownBy(() -> tar(List.of(TarEntry.text("a", ""), TarEntry.text("a", ""))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("two entries are called a");
  }

  private static byte[] tar(List<TarEntry> entries) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TarWriter.write(out, entries, TIME);
    return out.toByteArray();
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
