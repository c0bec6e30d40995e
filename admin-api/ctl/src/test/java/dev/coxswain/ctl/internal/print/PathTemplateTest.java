// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Templates print what kubectl prints for them. */
class PathTemplateTest {

  private static final String LIST =
      """
      {"kind":"ItemList","asOfSeq":9,"items":[
       {"key":{"namespace":"shop","name":"a"},"failures":9,"failing":true,"labels":{"a.b":"x","c/d":"y"}},
       {"key":{"namespace":"shop","name":"b"},"failures":3,"failing":false,"lastError":null,"tokens":2.50},
       {"key":{"name":"c"},"failures":0,"failing":false,"parts":[{"name":"p"},{"name":"q"}]}]}
      """;

  private static String printed(String template) throws IOException {
    return printed(new PathTemplate(template, "-o jsonpath"), Json.parse(LIST));
  }

  private static String printed(PathTemplate template, Json document) {
    StringBuilder text = new StringBuilder();
    template.print(document, text::append);
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{.kind} | ItemList",
        "{.items[*].key.name} | a b c",
        "{$.items[*].key.name} | a b c",
        "{@.asOfSeq} | 9",
        ".items[*].key.name | a b c",
        "items[0].key.name | a",
        "{.items[0].key} | {\"namespace\":\"shop\",\"name\":\"a\"}",
        "{.items[-1].key.name} | c",
        "{.items[-1:].key.name} | c",
        "{.items[1:].key.name} | b c",
        "{.items[:2].key.name} | a b",
        "{.items[0:9:2].key.name} | a c",
        "{.items[5:].key.name} | ~~",
        "{.items[0,2].key.name} | a c",
        "{.items[0]['failures','failing']} | 9 true",
        "{.items[0].labels['a.b']} | x",
        "{.items[0].labels.a\\.b} | x",
        "{.items[0].labels.c/d} | y",
        "{.items[0].labels.*} | x y",
        "{.items[?(@.failures>3)].key.name} | a",
        "{.items[?(@.failures >= 3)].key.name} | a b",
        "{.items[?(@.failures!=3)].key.name} | a c",
        "{.items[?(@.tokens==2.5)].key.name} | b",
        "{.items[?(@.key.namespace==\"shop\")].key.name} | a b",
        "{.items[?(@.failing==true)].key.name} | a",
        "{.items[?(@.parts)].key.name} | c",
        "{.items[?(@.failures==$.asOfSeq)].key.name} | a",
        "{..name} | a b c p q",
        "{.items[2]..name} | c p q",
        "{..[1].name} | q",
        "{.items[1].tokens} | 2.50",
        "{.missing} | ~~",
        "{.items[*].missing.deeper} | ~~",
        "{.items[1].lastError} | ~~",
        "{.kind}: {.items[0].failures}! | ItemList: 9!",
        "{ .kind } | ItemList",
        "{range .items[*]}{.key.name}={.failures},{end}! | a=9,b=3,c=0,!",
        "{range .items[*]}{.key.name}{range .parts[*]}/{.name}{end} {end} | a b c/p/q ",
        "{range .items[?(@.failing)]}{.key.name}{$.asOfSeq}{\",\"}{end} | a9,b9,c9,",
      })
  void whatPeopleUse_printsWhatKubectlPrints(String template, String expected) throws IOException {
    assertThat(printed(template).strip()).as(template).isEqualTo(expected.strip());
  }

  @Test
  void quotedTexts_haveTheUsualEscapes() throws IOException {
    assertThat(printed("{range .items[0:2]}{.key.name}{\"\\t\"}{.failures}{\"\\n\"}{end}"))
        .isEqualTo("a\t9\nb\t3\n");
    assertThat(printed("{\"\\\\n\\\"\"}{'it\\'s'}")).isEqualTo("\\n\"it's");
  }

  @Test
  void controlCharacters_areNotPassedOn_exceptLinesAndTabs() throws IOException {
    Json error = Json.parse("{\"error\":\"a\\u001b[31m\\tb\\nc\"}");
    assertThat(printed(new PathTemplate("{.error}", ""), error)).isEqualTo("a [31m\tb\nc");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{.items[0} | 10 | expected ], found }",
        "{.items[*].key.name | 20 | expected }, found the end",
        "{.items[x]} | 9 | expected an index, a slice, * or a name in quotes, found x",
        "{.items[?(@.failures>)]} | 22 | expected @.field",
        "{.items[?(@.failures>3 && @.failing)]} | 24 | expected ) after one comparison",
        "{.items[?(@.key.name=~'a')]} | 21 | there are no regular expressions",
        "{range .items[*]}{.key.name} | 1 | this {range} has no {end}",
        "{.kind}{end} | 8 | {end} without a {range}",
        "{\"open} | 2 | this text has no closing",
        "{.a..} | 6 | expected the name of a field",
        "{} | 2 | expected a path",
        "{.items[0:2:0]} | 12 | the step of a slice is positive",
      })
  void aWrongTemplate_isAnError_withItsPosition(String template, int position, String why) {
    assertThatThrownBy(() -> printed(template))
        .as(template)
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith("-o jsonpath: position " + position + " of ")
        .hasMessageContaining(why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{.items[3].key.name}",
        "{.kind[0]}",
        "{.kind[?(@.a)]}",
        "{.items[?(@.failures==\"9\")]}",
        "{.items[?(@.failing>1)]}"
      })
  void whatAListLacks_orCannotBeCompared_isAnError(String template) {
    assertThatThrownBy(() -> printed(template))
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith("in .");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{range .items[*]}", "[?(@.b"})
  void tooDeepATemplate_isAnError(String part) {
    assertThatThrownBy(
            () -> printed("{.a}" + (part.startsWith("{") ? "" : "{.a") + part.repeat(50_000)))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("more than 100 ranges or filters in each other");
  }
}
