// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.cli.StandardOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is printed by commands that start nothing. */
class CommandLineTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void everyCommandOfTheHelp_hasHelp() {
    assertThat(run("help")).isZero();
    String general = output();
    assertThat(general).contains("coxswain help COMMAND");
    List<String> commands =
        general
            .lines()
            .filter(line -> line.startsWith("  coxswain "))
            .map(line -> line.split(" +", -1)[2])
            .distinct()
            .toList();
    assertThat(commands).contains("ctl", "version", "help");
    for (String command : commands) {
      assertThat(run("help", command)).as(errors()).isZero();
      assertThat(output()).as(command).startsWith(command.equals("help") ? general : "coxswain ");
      assertThat(errors()).isEmpty();
    }
    assertThat(run("help", "--help")).isZero();
    assertThat(output()).isEqualTo(general);
  }

  @Test
  void theHelpOfCtl_isTheOneThatItShowsItself() {
    assertThat(run("help", "ctl")).isZero();
    assertThat(output())
        .contains("ctl get controllers", "\nCommands:\n  get ", "\nFlags of every command:\n");
  }

  @Test
  void whatIsNotKnown_isRefused_alsoByTheHelp() {
    String unknown =
        "coxswain: unknown command \"rum\", did you mean \"run\"? (known: add, bundle, chart, ";
    for (String[] line : new String[][] {{"rum"}, {"help", "rum"}, {"--help", "rum"}}) {
      assertThat(run(line)).isEqualTo(2);
      assertThat(errors()).startsWith(unknown).hasLineCount(1);
      assertThat(output()).isEmpty();
    }
  }

  @Test
  void theVersion_takesNothingElse() {
    for (String name : new String[] {"version", "--version"}) {
      assertThat(run(name)).isZero();
      assertThat(output()).startsWith("coxswain ").contains(" (Java ").hasLineCount(1);
      assertThat(run(name, "--foo")).isEqualTo(2);
      assertThat(errors()).startsWith("coxswain: unknown flag --foo");
      assertThat(run(name, "foo")).isEqualTo(2);
      assertThat(errors()).startsWith("coxswain: unexpected argument \"foo\"");
      assertThat(output()).isEmpty();
    }
  }

  /** A file of defaults that was cut short would be taken for a whole one. */
  @Test
  void whatCannotBeWritten_isAnError_unlessThePipeIsClosed(@TempDir Path folder)
      throws IOException {
    Path starts = Files.writeString(folder.resolve("starts"), "1\n");
    run("config", "print-defaults");
    Path file = Files.writeString(folder.resolve("coxswain.yaml"), output());
    for (String line :
        new String[] {
          "help",
          "help ctl",
          "config --help",
          "version",
          "config print-defaults",
          "config validate " + file,
          "limiter check --rate 1 --burst 1 " + starts,
        }) {
      assertThat(run(line.split(" "))).as(line).isZero();
      assertThat(output()).as(line).isNotEmpty();
      assertThat(runInto(failing("No space left on device"), line.split(" ")))
          .as(line)
          .isEqualTo(1);
      assertThat(errors())
          .as(line)
          .isEqualTo("coxswain: the output cannot be written: No space left on device\n");
      assertThat(runInto(failing("Broken pipe"), line.split(" "))).as(line).isEqualTo(141);
      assertThat(errors()).as(line).isEmpty();
    }
  }

  private static OutputStream failing(String why) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(why);
      }
    };
  }

  private int run(String... arguments) {
    out.reset();
    return runInto(out, arguments);
  }

  private int runInto(OutputStream to, String... arguments) {
    err.reset();
    return CommandLine.run(
        List.of(arguments),
        new StandardOutput(to),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String errors() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
