// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exit code of a process whose hook stops something. */
class ShutdownTest {

  @ParameterizedTest
  @CsvSource({"throws, 1", "fails, 1", "succeeds, 0"})
  void aStopThatWorks_doesNotHideHowTheCommandEnded(String way, int code) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Command.class.getName(),
                way)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start();
    assertThat(process.waitFor()).isEqualTo(code);
  }

  /** A command that has begun something, which the hook stops, and then ends. */
  static final class Command {
    private Command() {}

    public static void main(String[] arguments) {
      Shutdown.exitAfter(() -> {
        Shutdown.install(() -> CommandLine.OK);
        return switch (arguments[0]) {
          case "throws" -> throw new IllegalStateException("as the test wants");
          case "fails" -> CommandLine.FAILED;
          default -> CommandLine.OK;
        };
      });
    }
  }
}
