// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Flags are read as kubectl reads them. */
class ArgumentsTest {

  private static final Flag NAMESPACE = Flag.of("--namespace", "NAME", "").withLetter('n');
  private static final Flag ALL = Flag.alone("--all", "").withLetter('A');
  private static final Flag WATCH = Flag.alone("--watch", "").withLetter('w');
  private static final List<Flag> FLAGS = List.of(NAMESPACE, ALL, WATCH);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--namespace shop",
        "--namespace=shop",
        "-n shop",
        "-nshop",
        "-n=shop",
        "-An shop",
        "-Anshop"
      })
  void aValue_isTakenInEveryForm(String line) {
    Arguments arguments = parse("get " + line + " items");
    assertThat(arguments.value(NAMESPACE)).isEqualTo("shop");
    assertThat(arguments.words()).containsExactly("get", "items");
    assertThat(arguments.on(ALL)).isEqualTo(line.startsWith("-A"));
  }

  @Test
  void lettersThatStandAlone_canBeWrittenTogether() {
    Arguments arguments = parse("-Aw");
    assertThat(arguments.on(ALL)).isTrue();
    assertThat(arguments.on(WATCH)).isTrue();
  }

  @Test
  void aFlagThatStandsAlone_canBeSwitchedOff() {
    assertThat(parse("--all=false").on(ALL)).isFalse();
    assertThat(parse("--all=false").has(ALL)).isTrue();
    assertThat(parse("--all=true").on(ALL)).isTrue();
  }

  @Test
  void behindTwoDashes_everythingIsAWord() {
    assertThat(parse("-A -- -n --all").words()).containsExactly("-n", "--all");
  }

  @Test
  void anEmptyValue_isAValue() {
    assertThat(Arguments.parse(List.of("-n", ""), FLAGS).value(NAMESPACE)).isEmpty();
    assertThat(parse("--namespace=").value(NAMESPACE)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --namspace x       | unknown flag --namspace, did you mean "--namespace"?
          --what             | unknown flag --what, known: --all
          -x                 | unknown flag -x, known: -A, -n, -w
          -Ax                | unknown flag -x in -Ax
          -l app=x           | unknown flag -l: only get items
          -n                 | flag -n needs a value: NAME
          --all=yes          | flag --all: expected true or false, found "yes"
          -n a --namespace b | flag --namespace is given more than once
          """)
  void invalidArguments_areReported(String line, String message) {
    assertThatThrownBy(() -> parse(line))
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith(message);
  }

  private static Arguments parse(String line) {
    return Arguments.parse(List.of(line.split(" ")), FLAGS);
  }
}
