// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.internal.persist.ObjectsFile.Contents;
import dev.coxswain.apiserver.internal.persist.ObjectsFile.Kept;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a process left behind is read back, or refused in plain words. */
final class ObjectsFileTest {
  @TempDir Path folder;

  private static Kept kept(String json) {
    return new Kept("/configmaps", json.getBytes(StandardCharsets.UTF_8));
  }

  private List<String> read() throws IOException {
    try (ObjectsFile file = ObjectsFile.open(folder)) {
      Contents contents = file.read();
      List<String> found = new ArrayList<>(List.of("version " + contents.version()));
      contents
          .objects()
          .forEach(o -> found.add(o.storage() + new String(o.body(), StandardCharsets.UTF_8)));
      return found;
    }
  }

  private void write(long version, Kept... objects) throws IOException {
    try (ObjectsFile file = ObjectsFile.open(folder)) {
      file.write(new Contents(version, List.of(objects)));
    }
  }

  @Test
  void objects_comeBackAsTheyWereLastWritten() throws Exception {
    assertThat(read()).containsExactly("version 0");
    write(3, kept("\"a\":1}"), kept("\"b\":1}"));
    write(4, kept("\"a\":2}"));
    assertThat(read()).containsExactly("version 4", "/configmaps\"a\":2}");
    assertThat(files()).containsExactly("lock", "objects");
  }

  @Test
  void aFileCutOffAtAnyByte_orWithMoreBehindIt_isRefused_andStaysAsItIs() throws Exception {
    write(1, kept("\"a\":1}"), kept("\"long\":\"value\"}"));
    Path file = folder.resolve("objects");
    byte[] all = Files.readAllBytes(file);
    for (int length = 0; length <= all.length + 3; length++) {
      if (length != all.length) {
        byte[] bad = Arrays.copyOf(all, length);
        Files.write(file, bad);
        assertThatThrownBy(this::read)
            .as("first %d bytes", length)
            .isInstanceOf(IOException.class)
            .hasMessageContaining(file + " is damaged")
            .hasMessageContaining("remove it to start with no objects");
        assertThat(Files.readAllBytes(file)).isEqualTo(bad);
      }
    }
  }

  @Test
  void anyDamagedByte_isRefused() throws Exception {
    write(1, kept("\"a\":1}"), kept("\"b\":1}"));
    Path file = folder.resolve("objects");
    byte[] all = Files.readAllBytes(file);
    for (int at = 0; at < all.length; at++) {
      for (int flip : new int[] {0x80, 0x10, 1}) {
        byte[] bad = all.clone();
        bad[at] ^= (byte) flip;
        Files.write(file, bad);
        assertThatThrownBy(this::read)
            .as("byte %d", at)
            .isInstanceOf(IOException.class)
            .hasMessageContaining(file + " is damaged");
      }
    }
  }

  @Test
  void aProcessThatDiedWhileItWrote_leavesWhatWasThereBefore() throws Exception {
    write(1, kept("\"a\":1}"));
    Files.write(folder.resolve("objects.tmp"), new byte[70_000]);
    assertThat(read()).containsExactly("version 1", "/configmaps\"a\":1}");
    write(2);
    assertThat(read()).containsExactly("version 2");
    assertThat(files()).containsExactly("lock", "objects");
  }

  @Test
  void aWriteThatFails_leavesWhatWasThereBefore() throws Exception {
    write(1, kept("\"a\":1}"));
    Files.createDirectory(folder.resolve("objects.tmp"));
    assertThatThrownBy(() -> write(2)).isInstanceOf(IOException.class);
    assertThat(read()).containsExactly("version 1", "/configmaps\"a\":1}");
  }

  @Test
  void aSecondServer_isRefused() throws Exception {
    try (ObjectsFile first = ObjectsFile.open(folder)) {
      assertThat(first.read().version()).isZero();
      assertThatThrownBy(() -> ObjectsFile.open(folder))
          .hasMessageContaining(folder.toString())
          .hasMessageContaining("in use by another server");
    }
    assertThat(read()).containsExactly("version 0");
  }

  @Test
  void whatIsNoDirectory_isRefusedInOneLine() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> ObjectsFile.open(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("data directory " + file + " cannot be used")
        .message()
        .doesNotContain("\n");
    Files.createDirectory(folder.resolve("lock"));
    assertThatThrownBy(() -> ObjectsFile.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot be used");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
