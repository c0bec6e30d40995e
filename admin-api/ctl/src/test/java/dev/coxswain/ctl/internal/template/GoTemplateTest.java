// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Templates print what kubectl prints for them. {@code results.json} has what {@code kubectl label
 * --local -f DOCUMENT -o go-template=TEMPLATE} of kubectl 1.32 has printed.
 */
class GoTemplateTest {

  private static final Json RESULTS = read();

  private static Json read() {
    try (InputStream in =
        requireNonNull(GoTemplateTest.class.getResourceAsStream("results.json"), "results.json")) {
      return Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static Stream<Arguments> results() {
    return RESULTS.list("results").stream()
        .map(row -> (List<?>) requireNonNull(row.value()))
        .map(row -> Arguments.of(row.get(0), row.get(1)));
  }

  private static String printed(String template) {
    StringBuilder text = new StringBuilder();
    new GoTemplate(template, "-o go-template")
        .print(RESULTS.get("document").value(), value -> value, text::append);
    return text.toString();
  }

  @ParameterizedTest
  @MethodSource("results")
  void aTemplate_printsWhatKubectlPrints(String template, String result) {
    assertThat(printed(template)).isEqualTo(result);
  }

  /** kubectl refuses all of these, too. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{{.n.x}} | line 1, column 5: there is no field x in a number",
        "{{.m.a.x}} | line 1, column 7: there is no field x in a text",
        "{{.nul.x}} | line 1, column 7: there is no field x in null",
        "{{.l.x}} | line 1, column 5: there is no field x in a list",
        "{{.l.0}} | line 1, column 5: unexpected .0",
        "{{range .n}}{{end}} | line 1, column 9: range cannot go through 3",
        "{{index .l 5}} | line 1, column 3: there is no element 5 in a list of 2",
        "{{index .m 1}} | line 1, column 3: a map has texts as keys, not 1",
        "{{index .nope 1}} | line 1, column 3: index of nothing",
        "{{len .n}} | line 1, column 3: len of 3, which has none",
        "{{len .nope}} | line 1, column 3: len of nothing",
        "{{len}} | line 1, column 3: len needs 1 argument, found 0",
        "{{eq .n .t}} | line 1, column 3: eq compares values of one type, not int64 and string",
        "{{lt .f 1}} | line 1, column 3: lt compares values of one type, not float64 and int; write 1.0 for 1",
        "{{lt .yes .no}} | line 1, column 3: lt compares numbers and texts, not true",
        "{{eq .l .l}} | line 1, column 3: eq compares no lists and maps",
        "{{.n 1}} | line 1, column 3: only functions have arguments, and .n is a field",
        "{{lenn .l}} | line 1, column 3: there is no function \"lenn\", did you mean \"len\"?",
        "{{$x}} | line 1, column 3: there is no variable $x",
        "{{if .n}}{{$x := 1}}{{end}}{{$x}} | line 1, column 30: there is no variable $x",
        "{{if}}{{end}} | line 1, column 5: expected a value for if",
        "{{if .n}}x | line 1, column 1: this {{if}} has no {{end}}",
        "{{end}} | line 1, column 1: unexpected {{end}}",
        "{{break}} | line 1, column 3: {{break}} outside of {{range}}",
        "{{ | line 1, column 1: this {{ has no }}",
        "{{/* x }} | line 1, column 1: this comment has no end",
        "{{(.n}} | line 1, column 3: this ( has no )",
        "{{base64decode .n}} | line 1, column 3: base64decode needs a text, found 3",
        "{{printf 3}} | line 1, column 3: printf needs a text as its first argument, found 3",
      })
  void aWrongTemplate_isReportedWithItsPosition(String template, String message) {
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> printed(template))
        .withMessageStartingWith("-o go-template: " + message);
  }

  @Test
  void thePosition_isOfTheLine() {
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> printed("a\nb {{.n}}\n  {{- foo}}"))
        .withMessageStartingWith("-o go-template: line 3, column 7: there is no function \"foo\"");
  }

  @Test
  void nothingBehindAPipe_isRefused() {
    assertRefused("{{.n | }}", "line 1, column 8: expected a value behind |");
  }

  @Test
  void templatesInTemplates_areNamedAsLeftOut() {
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> printed("{{define \"T\"}}x{{end}}"))
        .withMessageContaining("({{define}}) are not supported");
  }

  /** {@code kubectl} evaluates no more than it needs, either. */
  @Test
  void andAndOr_endWithTheFirstArgumentThatDecides() {
    assertThat(printed("{{and .z (index .l 9)}} {{or .n (index .l 9)}}")).isEqualTo("0 3");
  }

  @Test
  void lengthDepthAndWidth_areBounded() {
    assertRefused("x".repeat(GoTemplate.LONGEST + 1), "the template has 65537 characters");
    assertRefused("{{if .n}}".repeat(101), "more than 100 actions in each other");
    assertRefused("{{" + "(".repeat(101) + "}}", "more than 100 parentheses in each other");
    assertRefused("{{printf \"%2000000d\" 1}}", "more than 1000000 characters for a value");
    assertThat(printed("{{if .n}}".repeat(100) + "x" + "{{end}}".repeat(100))).isEqualTo("x");
  }

  /** They were evaluated in calls of each other, and the stack was too short. */
  @Test
  void manyFieldsInEachOther_areEvaluated_alsoInParentheses() {
    assertThat(printed("{{.none" + ".a".repeat(30_000) + "}}")).isEqualTo("<no value>");
    assertThat(printed("{{$.none" + ".a".repeat(30_000) + "}}")).isEqualTo("<no value>");
    String parentheses = "(".repeat(100) + ".none" + (".a".repeat(300) + ")").repeat(100);
    assertThat(printed("{{" + parentheses + "}}")).isEqualTo("<no value>");
    assertRefused("{{.m" + ".a".repeat(30_000) + "}}", "line 1, column 7: there is no field a in");
  }

  /** JSON has numbers that no double can hold; those of kubectl are refused before a template is reached. */
  @Test
  void numbersThatAreTooLarge_arePrintedAsGoPrintsInfinities() throws IOException {
    Object document = Json.parse("{\"a\":1e400,\"b\":-1e400}").value();
    StringBuilder text = new StringBuilder();
    new GoTemplate(
            "{{.a}} {{.b}} {{printf \"%v %f %.2e %g %06.1f % f %d %s\" .a .b .a .b .a .a .a .b}} {{eq .a .a}} {{print .}}",
            "")
        .print(document, value -> value, text::append);
    assertThat(text)
        .hasToString(
            "+Inf -Inf +Inf -Inf +Inf -Inf   +Inf  Inf %!d(float64=+Inf) %!s(float64=-Inf) true map[a:+Inf b:-Inf]");
  }

  @Test
  void textsThatGrow_areBounded() {
    String grows = "{{$x := \"0123456789\"}}{{range .}}{{$x = %s}}{{end}}";
    List<Integer> times = Collections.nCopies(40, 1);
    for (String how : List.of("print $x $x", "println $x $x", "printf \"%s%s\" $x $x")) {
      assertThatExceptionOfType(CommandException.class)
          .as(how)
          .isThrownBy(() -> new GoTemplate(grows.formatted(how), "").print(times, v -> v, _ -> {}))
          .withMessageMatching(": line 1, column \\d+: print.*");
    }
    assertRefused(
        "{{printf \"" + "%1000000d".repeat(100) + "\"" + " 1".repeat(100) + "}}",
        "line 1, column 3: printf: more than 16777216 characters");
  }

  @Test
  void whatActionsPrint_isCleaned_andTextIsNot() {
    StringBuilder text = new StringBuilder();
    new GoTemplate("[{{.}}]", "").print("x", value -> value.replace('x', '?'), text::append);
    assertThat(text).hasToString("[?]");
    text.setLength(0);
    new GoTemplate("x{{.}}", "").print("x", value -> value.replace('x', '?'), text::append);
    assertThat(text).hasToString("x?");
  }

  @Test
  void output_isDeliveredPieceByPiece() {
    List<String> pieces = new ArrayList<>();
    new GoTemplate("{{range .}}{{.}},{{end}}", "")
        .print(List.of("a", "b"), value -> value, pieces::add);
    assertThat(pieces).containsExactly("a", ",", "b", ",");
  }

  /** Pieces of right templates in a random order: a result or a message, and nothing else. */
  @Test
  void anyText_isPrintedOrRefused() {
    List<String> pieces =
        new ArrayList<>(
            List.of("{{", "}}", "{{-", " -}}", "(", ")", "|", "\"", "$x", ":=", ",", " "));
    results()
        .map(row -> (String) row.get()[0])
        .forEach(each -> pieces.addAll(List.of(each.split("(?<=[ {}().|])"))));
    Random random = new Random(20261129);
    int printed = 0;
    for (int i = 0; i < 20_000; i++) {
      StringBuilder template = new StringBuilder();
      for (int j = random.nextInt(1, 12); j > 0; j--) {
        template.append(pieces.get(random.nextInt(pieces.size())));
      }
      try {
        printed(template.toString());
        printed++;
      } catch (CommandException e) {
        assertThat(e).as(template.toString()).hasMessageStartingWith("-o go-template: line ");
      }
    }
    assertThat(printed).isBetween(500, 19_500);
  }

  private static void assertRefused(String template, String message) {
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> printed(template))
        .withMessageContaining(message);
  }
}
