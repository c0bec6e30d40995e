// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
final class DataDirectoryTest {
  @TempDir Path folder;

  private static Entry put(long version, String key, String json) {
    return new Entry(version, "/configmaps", key, json.getBytes(StandardCharsets.UTF_8));
  }

  private static Entry delete(long version, String key) {
    return new Entry(version, "/configmaps", key, new byte[0]);
  }

  private List<String> read() throws IOException {
    try (DataDirectory directory = DataDirectory.open(folder)) {
      return read(directory.load());
    }
  }

  private static List<String> read(Contents contents) {
    return contents.entries().stream()
        .map(e -> e.version() + e.key() + new String(e.object(), StandardCharsets.UTF_8))
        .toList();
  }

  private void write(Entry... entries) throws IOException {
    try (DataDirectory directory = DataDirectory.open(folder)) {
      directory.load();
      for (Entry entry : entries) {
        directory.append(List.of(entry));
      }
    }
  }

  @Test
  void entries_comeBackAsTheyWereLastWritten() throws Exception {
    write(put(1, "a", "{}"), put(2, "b", "{}"), put(3, "a", "{\"x\":1}"), delete(4, "b"));
    assertThat(read()).containsExactly("3a{\"x\":1}");
    write(put(5, "c", "{}"));
    assertThat(read()).containsExactly("3a{\"x\":1}", "5c{}");
  }

  @Test
  void aLogCutOffAtAnyByte_givesTheEntriesThatWereWhole() throws Exception {
    write(put(1, "a", "{}"), put(2, "b", "{\"long\":\"value\"}"), put(3, "c", "{}"));
    Path log = folder.resolve("log-0");
    List<String> written = List.of("1a{}", "2b{\"long\":\"value\"}", "3c{}");
    byte[] all = Files.readAllBytes(log);
    int before = -1;
    for (int length = 0; length <= all.length; length++) {
      Files.write(log, Arrays.copyOf(all, length));
      List<String> entries = read();
      assertThat(entries)
          .as("first %d bytes", length)
          .isEqualTo(written.subList(0, entries.size()));
      assertThat(entries.size()).isGreaterThanOrEqualTo(before);
      before = entries.size();
      write(put(9, "after", "{}"));
      assertThat(read()).as("goes on after %d bytes", length).contains("9after{}");
    }
    assertThat(before).isEqualTo(3);
  }

  @Test
  void aDamagedByteInTheMiddle_isRefusedWithFileAndPlace() throws Exception {
    write(put(1, "a", "{}"), put(2, "b", "{}"));
    Path log = folder.resolve("log-0");
    byte[] all = Files.readAllBytes(log);
    for (int at = 0; at < all.length; at++) {
      byte[] bad = all.clone();
      bad[at] ^= 0x10;
      Files.write(log, bad);
      assertThatThrownBy(this::read)
          .as("byte %d", at)
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("log-0");
    }
  }

  @Test
  void zerosFromAnyByteOfTheLastRecordOn_areCutOff_andTheLogGoesOn() throws Exception {
    write(put(1, "a", "{}"));
    Path log = folder.resolve("log-0");
    long whole = Files.size(log);
    write(put(2, "b", "{\"long\":\"value\"}"));
    byte[] all = Files.readAllBytes(log);
    for (int from = 0; from < all.length; from++) {
      for (int more : new int[] {0, 1, 70_000}) {
        Files.write(log, Arrays.copyOf(Arrays.copyOf(all, from), all.length + more));
        List<String> expected = from < whole ? List.of() : List.of("1a{}");
        assertThat(read()).as("zeros from byte %d, %d more", from, more).isEqualTo(expected);
        write(put(9, "after", "{}"));
        assertThat(read()).as("goes on after %d bytes", from).contains("9after{}");
      }
    }
  }

  @Test
  void zerosInFrontOfRecords_areDamage() throws Exception {
    write(put(1, "a", "{}"));
    Path log = folder.resolve("log-0");
    int first = (int) Files.size(log);
    write(put(2, "b", "{\"long\":\"value\"}"));
    int second = (int) Files.size(log);
    write(put(3, "c", "{}"));
    byte[] all = Files.readAllBytes(log);
    for (int from = first; from < second; from++) {
      byte[] bad = all.clone();
      Arrays.fill(bad, from, second, (byte) 0);
      Files.write(log, bad);
      assertThatThrownBy(this::read)
          .as("zeros from byte %d", from)
          .hasMessageContaining("log-0 is damaged at byte " + first);
    }
  }

  @Test
  void aLogThatIsRolledBeforeItIsOnTheDisk_isBroughtThereWithTheNext() throws Exception {
    try (DataDirectory directory = DataDirectory.open(folder)) {
      directory.load();
      directory.append(List.of(put(1, "a", "{}")));
      directory.roll();
      directory.append(List.of(put(2, "b", "{}")));
      directory.sync();
      directory.append(List.of(put(3, "c", "{}")));
      directory.roll();
    }
    assertThat(read()).containsExactly("1a{}", "2b{}", "3c{}");
  }

  @Test
  void aSnapshot_replacesWhatCameBefore_andTheLogGoesOn() throws Exception {
    try (DataDirectory directory = DataDirectory.open(folder)) {
      directory.load();
      for (int i = 0; i < 50; i++) {
        directory.append(List.of(put(i, "a", "{\"i\":" + i + "}")));
      }
      directory.roll();
      directory.append(List.of(put(51, "b", "{}")));
      directory.snapshot(List.of(put(49, "a", "{\"i\":49}")));
      directory.append(List.of(put(52, "c", "{}")));
    }
    assertThat(files()).containsExactly("lock", "log-1", "snapshot-1");
    assertThat(read()).containsExactly("49a{\"i\":49}", "51b{}", "52c{}");
  }

  @Test
  void aProcessThatDiesWhileItWritesASnapshot_losesNothing() throws Exception {
    try (DataDirectory directory = DataDirectory.open(folder)) {
      directory.load();
      directory.append(List.of(put(1, "a", "{}")));
      directory.roll();
      directory.append(List.of(put(2, "b", "{}")));
    }
    Files.write(folder.resolve("snapshot-1.tmp"), new byte[] {1, 2, 3});
    assertThat(read()).containsExactly("1a{}", "2b{}");
    assertThat(files()).doesNotContain("snapshot-1.tmp");
    write(put(3, "c", "{}"));
    assertThat(read()).containsExactly("1a{}", "2b{}", "3c{}");
  }

  @Test
  void anOlderLogThatIsCutOff_isRefused() throws Exception {
    try (DataDirectory directory = DataDirectory.open(folder)) {
      directory.load();
      directory.append(List.of(put(1, "a", "{}")));
      directory.roll();
    }
    byte[] all = Files.readAllBytes(folder.resolve("log-0"));
    Files.write(folder.resolve("log-0"), Arrays.copyOf(all, all.length - 1));
    assertThatThrownBy(this::read).hasMessageContaining("log-0 is damaged at byte");
  }

  @Test
  void aMissingLog_isRefused() throws Exception {
    try (DataDirectory directory = DataDirectory.open(folder)) {
      directory.load();
      directory.roll();
      directory.roll();
    }
    Files.delete(folder.resolve("log-1"));
    assertThatThrownBy(this::read).hasMessageContaining("log-1 is missing");
  }

  @Test
  void aSecondServer_isRefused() throws Exception {
    try (DataDirectory first = DataDirectory.open(folder)) {
      first.load();
      assertThatThrownBy(() -> DataDirectory.open(folder))
          .hasMessageContaining(folder.toString())
          .hasMessageContaining("in use by another server");
    }
    assertThat(read()).isEmpty();
  }

  @Test
  void whatIsNoDirectory_isRefusedInOneLine() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> DataDirectory.open(file))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("data directory " + file + " cannot be used")
        .message()
        .doesNotContain("\n");
    Files.createDirectory(folder.resolve("lock"));
    assertThatThrownBy(() -> DataDirectory.open(folder))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("cannot be used");
  }

  private List<String> files() throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    names.sort(null);
    return names;
  }
}
