// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.failures.ownership.HandOverReader.HandOver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandOverReaderTest {
  @TempDir private Path folder;
  private final HandOverReader reader = new HandOverReader();
  private Path old;
  private Path next;

  @BeforeEach
  void logs() throws IOException {
    old = Files.createFile(folder.resolve("old.json"));
    next = Files.createFile(folder.resolve("next.json"));
  }

  private static void log(Path log, String message, int slot, long epoch, long nanos)
      throws IOException {
    String line =
        "{\"msg\":\"%s\",\"slot\":%d,\"epoch\":%d,\"nanos\":%d}\n"
            .formatted(message, slot, epoch, nanos);
    Files.writeString(log, line, StandardOpenOption.APPEND);
  }

  private List<HandOver> all() throws IOException {
    return reader.between(List.of(old, next), 0, Long.MAX_VALUE);
  }

  @Test
  void aSlot_isWithoutAnOwner_fromItsCloseByOne_untilItIsOpenedInTheNextEpoch() throws Exception {
    Files.writeString(old, "a line of the JVM about a closing slot\n");
    log(old, "opened slot", 3, 7, 50);
    log(old, "closing slot", 3, 7, 100);
    log(next, "opened slot", 3, 8, 130);
    assertThat(all()).containsExactly(new HandOver(3, 7, 100, 130));
    assertThat(all().getFirst().nanos()).isEqualTo(30);
    assertThat(reader.between(List.of(old, next), 101, 200)).as("another time").isEmpty();
  }

  @Test
  void aSlotThatItsOwnerKept_countsFromItsLastClose() throws Exception {
    log(old, "closing slot", 3, 7, 100);
    log(old, "opened slot", 3, 7, 110);
    assertThat(all()).isEmpty();
    log(old, "closing slot", 3, 7, 200);
    log(next, "opened slot", 3, 8, 220);
    assertThat(all()).containsExactly(new HandOver(3, 7, 200, 220));
  }

  @Test
  void aSlotThatWasTakenOver_isNoHandOver() throws Exception {
    log(next, "opened slot", 3, 8, 130);
    assertThat(all()).isEmpty();
  }
}
