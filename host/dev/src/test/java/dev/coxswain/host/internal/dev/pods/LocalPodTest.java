// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said about a pod that has ended. */
class LocalPodTest {

  @TempDir private Path folder;

  @Test
  void aLog_thatIsLongOrNoText_hasALastLine() throws Exception {
    Path log = folder.resolve("shop-0.log");
    assertThat(LocalPod.lastLine(log)).isEmpty();
    byte[] bytes = "x".repeat(100_000).concat("\n.end\n").getBytes(StandardCharsets.UTF_8);
    bytes[bytes.length - 5] = (byte) 0xff;
    Files.write(log, bytes);
    assertThat(LocalPod.lastLine(log)).isEqualTo(", its last line is \ufffdend");
  }
}
