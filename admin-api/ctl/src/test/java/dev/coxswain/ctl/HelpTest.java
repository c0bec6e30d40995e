// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.commands.Commands;
import dev.coxswain.ctl.internal.context.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The help describes exactly what the program accepts. */
class HelpTest {

  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|([^\\s\"']+)");

  private final CtlRunner ctl = new CtlRunner();

  @Test
  void everyCommand_hasHelpWithExamples_andEveryExampleIsUnderstood() {
    for (Command command : Commands.ALL) {
      assertThat(ctl.run(command.name(), "--help")).isZero();
      String help = ctl.output();
      assertThat(help).contains("Examples:", "Usage:\n  coxswain ctl " + command.name(), "Flags:");
      List<String> examples =
          help.lines()
              .map(String::strip)
              .filter(line -> line.startsWith("coxswain ctl " + command.name()))
              .toList();
      assertThat(examples).as(help).hasSizeGreaterThanOrEqualTo(2); // the usage is one of them
      for (String example : examples.subList(0, examples.size() - 1)) {
        List<String> words = words(example.replaceFirst(" [>|] .*", ""));
        assertThat(Arguments.parse(words.subList(3, words.size()), command.allFlags()))
            .as(example)
            .isNotNull();
      }
    }
  }

  @Test
  void theOverview_namesEveryCommand_inEveryFormOfHelp() {
    for (String[] line : List.of(new String[0], new String[] {"--help"}, new String[] {"help"})) {
      assertThat(ctl.run(line)).isZero();
      for (Command command : Commands.ALL) {
        assertThat(ctl.output()).contains("\n  " + command.name() + " ");
      }
    }
    assertThat(ctl.run("help", "get")).isZero();
    assertThat(ctl.output()).contains("Usage:\n  coxswain ctl get ");
    assertThat(ctl.run("-n", "x")).isEqualTo(1);
  }

  @Test
  void theProgram_isCalledAsItWasCalled() {
    assertThat(ctl.with("COXSWAIN_CTL_NAME", "kubectl coxswain").run("help", "get")).isZero();
    assertThat(ctl.output())
        .contains("kubectl coxswain get items error-backoff")
        .doesNotContain("PROGRAM", "coxswain ctl");
  }

  /** The context's namespace is that of lists and changes; a dump without one is of all. */
  @Test
  void whichItemsAreMeant_isDescribedForEachCommand() {
    ctl.run("get", "--help");
    assertThat(ctl.output()).contains("namespace of the items (default: of the context)\n");
    ctl.run("dump", "--help");
    assertThat(ctl.output())
        .contains("--namespace NAME ", "namespace of the items (default: all)\n")
        .doesNotContain("the context's");
  }

  @Test
  void noCommand_hasTwoFlagsOfOneNameOrLetter() {
    for (Command command : Commands.ALL) {
      assertThat(command.allFlags().stream().map(Flag::name))
          .as(command.name())
          .doesNotHaveDuplicates();
      assertThat(command.allFlags().stream().map(Flag::letter).filter(letter -> letter != 0))
          .as(command.name())
          .doesNotHaveDuplicates();
    }
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(line);
    while (matcher.find()) {
      words.add(
          Stream.of(matcher.group(1), matcher.group(2), matcher.group(3))
              .filter(Objects::nonNull)
              .findFirst()
              .orElseThrow());
    }
    return words;
  }
}
