// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.commands.Commands;
import dev.coxswain.ctl.internal.context.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real bash completes with the script that is printed. */
class CompletionTest {

  @TempDir private Path folder;
  private final CtlRunner ctl = new CtlRunner();

  @BeforeEach
  void print() throws IOException {
    assertThat(ctl.run("completion", "bash")).isZero();
    Files.writeString(folder.resolve("completion"), ctl.output());
  }

  @Test
  void everyCommand_andEveryFlagOfIt_isCompleted() throws Exception {
    List<String> verbs = new ArrayList<>(Commands.ALL.stream().map(Command::name).toList());
    verbs.add("help");
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of("coxswain", "ctl", ""));
    Commands.ALL.forEach(command -> lines.add(List.of("coxswain", "ctl", command.name(), "--")));
    List<List<String>> completed = completed(lines);
    assertThat(completed.getFirst()).containsExactlyInAnyOrderElementsOf(verbs);
    for (int i = 0; i < Commands.ALL.size(); i++) {
      assertThat(completed.get(i + 1))
          .as(Commands.ALL.get(i).name())
          .containsExactlyInAnyOrderElementsOf(
              Commands.ALL.get(i).allFlags().stream().map(Flag::name).toList());
    }
  }

  @Test
  void wordsAndValues_areCompleted_whereverTheFlagsAre() throws Exception {
    Path file = Files.writeString(folder.resolve("token-of-mine"), "x");
    assertThat(
            completed(
                List.of(
                    List.of("coxswain", "c"),
                    List.of("coxswain", "ctl", "res"),
                    List.of("coxswain", "ctl", "get", "c"),
                    List.of("coxswain", "ctl", "-n", "get", "operations", "s"),
                    List.of("coxswain", "ctl", "get", "items", "-o", "j"),
                    List.of("coxswain", "ctl", "get", "items", "--output", "=", "ya"),
                    List.of("coxswain", "ctl", "get", "--phase", "="),
                    List.of("coxswain", "ctl", "--scope", "=", "local", "limiters", "re"),
                    List.of("coxswain", "ctl", "help", "comp"),
                    List.of("coxswain", "ctl", "get", "items", "de"),
                    List.of("coxswain", "dev", "--"),
                    List.of("coxswain-ctl", "res"),
                    List.of("coxswain-ctl", "-n", "get", "operations", "s"),
                    List.of("coxswain", "ctl", "get", "--token-file", folder + "/token-of"))))
        .containsExactly(
            List.of("config", "ctl"),
            List.of("resume"),
            List.of("controllers", "causes", "caches", "config", "changes"),
            List.of("stop"),
            List.of("json", "jsonpath=", "jsonpath-file="),
            List.of("yaml"),
            List.of("ready", "delayed", "waitingToken", "inFlight", "terminal"),
            List.of("reset"),
            List.of("completion"),
            List.of(),
            List.of(),
            List.of("resume"),
            List.of("stop"),
            List.of(file.toString()));
  }

  @Test
  void zsh_getsTheSameScript_withWhatItNeedsToUnderstandIt() {
    String forBash = ctl.output();
    assertThat(ctl.run("completion", "zsh")).isZero();
    assertThat(ctl.output()).startsWith("#compdef coxswain coxswain-ctl\n").endsWith(forBash);
    assertThat(ctl.run("completion", "tcsh")).isEqualTo(1);
    assertThat(ctl.errors()).contains("known: bash, fish, zsh");
    assertThat(ctl.run("completion")).isEqualTo(1);
  }

  @Test
  void zsh_completes_whatBashDoes() throws Exception {
    String path = Objects.requireNonNull(System.getenv("PATH"), "PATH");
    assumeTrue(isInstalled(path, "zsh"), "zsh is not installed");
    ctl.run("completion", "zsh");
    Files.writeString(folder.resolve("completion"), ctl.output());
    // Types each line and the key into a terminal of its own; the command that the shell then runs
    // shows the completion.
    Path driver =
        Files.writeString(
            folder.resolve("driver"),
            """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1='> '; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source $1; \
            coxswain() { print -r -- \\"got:\\$*:\\" }; print rea''dy"
            zpty -r shell out '*ready*'
            shift
            for line in "$@"; do
              zpty -w -n shell "coxswain $line"$'\t\n'
              zpty -r shell out '*got:*:*'
              print -r -- "${${out##*got:}%%:*}"
            done
            """);
    assertThat(
            printed(
                path,
                "zsh",
                "-f",
                driver.toString(),
                folder.resolve("completion").toString(),
                "ctl get contro",
                "ctl -n get operations sto",
                "ctl get items x -o ya",
                "ctl get items x --output=ya",
                "ctl limiters rese"))
        .containsExactly(
            "ctl get controllers",
            "ctl -n get operations stop",
            "ctl get items x -o yaml",
            "ctl get items x --output=yaml",
            "ctl limiters reset");
  }

  /** The program is replaced: what it prints for a line is tested beside. */
  @Test
  void names_areThoseThatTheProgramPrints_forTheWordsBefore() throws Exception {
    Files.writeString(
        folder.resolve("completion"),
        ctl.output()
            + "coxswain() { [ $COXSWAIN_SKIP_BUILD = 1 ] && echo \"[$*]\" >>calls; echo abc abd; }\n"
            + "coxswain-ctl() { coxswain small \"$@\"; }\n");
    assertThat(
            completed(
                List.of(
                    List.of("coxswain", "ctl", "pause", "ab"),
                    List.of("coxswain", "ctl", "-n", "x", "retry", "demo", "abc"),
                    List.of("coxswain", "ctl", "get", "items", "--replica", "=", ""),
                    List.of("coxswain-ctl", "pause", "ab"),
                    List.of("coxswain", "ctl", "version", "a"),
                    List.of("coxswain", "ctl", "pause", "--reason", "a"),
                    List.of("coxswain", "ctl", "get", "lim"))))
        .containsExactly(
            List.of("abc", "abd"),
            List.of("abc"),
            List.of("abc", "abd"),
            List.of("abc", "abd"),
            List.of(),
            List.of(),
            List.of("limiters"));
    assertThat(Files.readAllLines(folder.resolve("calls")))
        .containsExactly(
            "[ctl __complete pause ab]",
            "[ctl __complete -n x retry demo abc]",
            "[ctl __complete get items --replica ]",
            "[small ctl __complete pause ab]");
  }

  @Test
  void fish_completes_whatBashDoes() throws Exception {
    String path = Objects.requireNonNull(System.getenv("PATH"), "PATH");
    assumeTrue(isInstalled(path, "fish"), "fish is not installed");
    Path bin = Files.createDirectory(folder.resolve("bin"));
    executable(
        bin.resolve("coxswain"),
        "#!/bin/sh\n[ $COXSWAIN_SKIP_BUILD = 1 ] && [ \"$2\" = __complete ] && shift 2 && printf 'of:%s\\n' \"$(printf '%s-' \"$@\")\"\n");
    ctl.run("completion", "fish");
    Files.writeString(folder.resolve("completion"), ctl.output());
    assertThat(fish(bin, "coxswain ctl ")).contains("get", "version", "help").doesNotContain("ctl");
    assertThat(fish(bin, "coxswain c")).containsExactly("config", "ctl");
    assertThat(fish(bin, "coxswain ctl -n get operations s")).containsExactly("stop");
    assertThat(fish(bin, "coxswain ctl get contro")).containsExactly("controllers");
    assertThat(fish(bin, "coxswain ctl get items x -o ya")).containsExactly("yaml");
    assertThat(fish(bin, "coxswain ctl get items x --output=ya")).containsExactly("--output=yaml");
    assertThat(fish(bin, "coxswain ctl pause --rea")).containsExactly("--reason");
    assertThat(fish(bin, "coxswain ctl -n x pause of:")).containsExactly("of:-n-x-pause-of:-");
    assertThat(fish(bin, "coxswain ctl version of")).isEmpty();
    assertThat(fish(bin, "coxswain dev --")).isEmpty();
    Files.move(bin.resolve("coxswain"), bin.resolve("coxswain-ctl"));
    assertThat(fish(bin, "coxswain-ctl get contro")).containsExactly("controllers");
    assertThat(fish(bin, "coxswain-ctl ")).contains("get", "version").doesNotContain("ctl");
    assertThat(fish(bin, "coxswain-ctl -n x pause of:")).containsExactly("of:-n-x-pause-of:-");
  }

  private List<String> fish(Path bin, String line) throws Exception {
    return printed(
            bin + ":" + System.getenv("PATH"),
            "fish",
            "--no-config",
            "-c",
            "source " + folder.resolve("completion") + "; complete -C '" + line + "'")
        .stream()
        .map(candidate -> candidate.replaceFirst("\t.*", ""))
        .toList();
  }

  @Test
  void kubectl_completesWithTheProgramOnThePath() throws Exception {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Path source = Path.of(System.getProperty("basedir", "."), "..", "..", "host", "bin");
    for (String name : List.of("kubectl_complete-coxswain", "kubectl-coxswain")) {
      executable(bin.resolve(name), Files.readString(source.resolve(name)));
    }
    // Replaces the program, which would need a build and must not start one.
    executable(
        bin.resolve("coxswain"),
        """
        #!/bin/sh
        [ "$COXSWAIN_SKIP_BUILD $*" = "1 ctl completion bash" ] && exec cat "$(dirname "$0")/../completion"
        """);
    String path = bin + ":" + System.getenv("PATH");
    String program = bin.resolve("kubectl_complete-coxswain").toString();
    assertThat(printed(path, program, "get", "c"))
        .containsExactly("controllers", "causes", "caches", "config", "changes", ":4");
    assertThat(printed(path, program, "-n", "x", "res")).containsExactly("resume", ":4");
    assertThat(printed(path, program, "get", "items", "x", "--output=ya"))
        .containsExactly("yaml", ":4");
    assertThat(printed(path, program, "get", "items", "nobody-knows")).containsExactly(":4");
    assertThat(printed(path, program, "")).contains("flush", "help").endsWith(":4");
    if (isInstalled(path, "kubectl")) {
      assertThat(
              printed(path, "kubectl", "__complete", "coxswain", "get", "items", "x", "-o", "ya"))
          .containsExactly("yaml", ":4");
    }
  }

  private static boolean isInstalled(String path, String program) {
    return Stream.of(path.split(":", -1))
        .anyMatch(one -> Files.isExecutable(Path.of(one, program)));
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private List<String> printed(String path, String... command) throws Exception {
    Path output = Files.createTempFile(folder, "printed", "");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(output.toFile());
    builder.environment().put("PATH", path);
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return Files.readAllLines(output);
  }

  /** Lets one bash complete several lines, each cut into words as bash cuts them. */
  private List<List<String>> completed(List<List<String>> lines) throws Exception {
    StringBuilder script = new StringBuilder("set -u\nsource completion\n");
    for (List<String> line : lines) {
      script.append("COMP_WORDS=(");
      line.forEach(word -> script.append('\'').append(word).append("' "));
      script
          .append(")\nCOMP_CWORD=")
          .append(line.size() - 1)
          .append("\n_")
          .append(line.getFirst().replace('-', '_'))
          .append("\necho \"${COMPREPLY[*]-}\"\n");
    }
    Path output = folder.resolve("output");
    Process bash =
        new ProcessBuilder("bash", "--norc", "-c", script.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
    List<String> printed = Files.readAllLines(output);
    assertThat(printed).as(String.join("\n", printed)).hasSameSizeAs(lines);
    return printed.stream()
        .map(words -> words.isEmpty() ? List.<String>of() : List.of(words.split(" ")))
        .toList();
  }
}
