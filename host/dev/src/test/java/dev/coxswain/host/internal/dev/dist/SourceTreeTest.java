// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.Closeable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lock of all that makes files from a clone or a copy. */
@Timeout(60)
class SourceTreeTest {

  /** Another process that takes the lock, prints a line, and has it until its input ends. */
  private static final String OTHER =
      """
      import java.nio.channels.*;
      import java.nio.file.*;
      void main(String[] arguments) throws Exception {
        var file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        file.lock();
        System.out.println("locked");
        System.in.read();
      }
      """;

  @TempDir private Path folder;

  @Test
  void aSecondProcess_waitsForTheFirst_asLongAsTheLimit() throws Exception {
    Path program = Files.writeString(folder.resolve("Other.java"), OTHER);
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                program.toString(),
                folder.resolve(".dist.lock").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(other.inputReader().readLine()).isEqualTo("locked");
      assertThatThrownBy(() -> tree(Duration.ofMillis(1)).lock())
          .isInstanceOf(HostException.class)
          .hasMessageContaining(
              "another coxswain dist or image of this clone or copy made no progress");
      Thread end = Thread.startVirtualThread(() -> other.toHandle().destroy());
      try (Closeable lock = tree(Duration.ofSeconds(50)).lock()) {
        assertThat(lock).isNotNull();
      }
      end.join();
    } finally {
      other.destroyForcibly();
    }
  }

  private SourceTree tree(Duration limit) {
    return new SourceTree(folder, folder, "", Instant.EPOCH, new StallLimit(limit));
  }
}
