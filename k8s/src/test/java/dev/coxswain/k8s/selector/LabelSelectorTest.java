// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The semantics of label selectors, and the messages for invalid ones. */
class LabelSelectorTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                    | true",
        "a=1                 | true",
        "a==1,b!=1           | true",
        "a=2                 | false",
        "c!=1                | true",
        "a in (1, 2),b notin (3) | true",
        "a in (2)            | false",
        "c notin (1)         | true",
        "a,!c                | true",
        "! a                 | false",
        "x.io/y=             | true",
        "x.io/y in ()        | true",
        "x.io/y in (z,)      | true",
        "a in (,)            | false",
        "in in (in)          | false",
        "!in,! notin         | true",
      })
  void labelSelector_selectsAsTheServerDoes(String selector, boolean expected) {
    assertThat(
            LabelSelector.parse(selector == null ? "" : selector)
                .matches(Map.of("a", "1", "b", "2", "x.io/y", "")))
        .isEqualTo(expected);
  }

  @Test
  void objectWithoutLabels_isSelectedByWhatNeedsNone() {
    assertThat(LabelSelector.parse("!a,b!=c,d notin (e)").matches(null)).isTrue();
    assertThat(LabelSelector.parse("a").matches(null)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a in | expected \"(\" behind \"in\", found the end",
        "a in (1 | expected a comma or \")\" in the values of \"in\", found the end",
        "a notin (1 2) | expected a comma or \")\" in the values of \"notin\", found \"2\"",
        "a in ((1)) | expected a comma or \")\" in the values of \"in\", found \"(\"",
        "a in (1)) | expected a comma or the end, found \")\"",
        "=b | expected the name of a label, found \"=\"",
        "a b | expected =, ==, !=, in or notin behind \"a\", found \"b\"",
        "a>1 | expected =, ==, !=, in or notin behind \"a\", found \">\"",
        "a=b=c | expected a comma or the end, found \"=\"",
        "a===b | expected a value, found \"=\"",
        "!a=b | expected a comma or the end, found \"=\"",
        "!!a | expected the name of a label behind \"!\", found \"!\"",
        "a, | expected the name of a label, found the end",
        ",a | expected the name of a label, found \",\"",
        "-a | \"-a\" is no name of a label: a name has at most 63 letters, digits, '-', '_' and '.', and begins and ends with a letter or digit",
        "a/b/c | \"a/b/c\" is no name of a label: a name has at most 63 letters, digits, '-', '_' and '.', and begins and ends with a letter or digit",
        "A/b | \"A/b\" is no name of a label: its prefix must be a DNS name",
        "/b | \"/b\" is no name of a label: its prefix must be a DNS name",
        "a=b_ | \"b_\" is no value of a label: a value has at most 63 letters, digits, '-', '_' and '.', and begins and ends with a letter or digit",
        "a in (x/y) | \"x/y\" is no value of a label: a value has at most 63 letters, digits, '-', '_' and '.', and begins and ends with a letter or digit",
      })
  void whatIsNone_isRefused_sayingWhatIsExpected(String selector, String why) {
    assertThatThrownBy(() -> LabelSelector.parse(selector))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("label selector \"" + selector + "\": " + why);
  }

  @Test
  void namesAndValues_haveTheLengthsOfTheServer() {
    String longest = "x".repeat(63);
    assertThat(LabelSelector.parse(longest + "=" + longest).matches(Map.of(longest, longest)))
        .isTrue();
    for (String tooLong :
        new String[] {longest + "x", "a=x" + longest, "a." + longest.repeat(4) + "/b"}) {
      assertThatThrownBy(() -> LabelSelector.parse(tooLong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
