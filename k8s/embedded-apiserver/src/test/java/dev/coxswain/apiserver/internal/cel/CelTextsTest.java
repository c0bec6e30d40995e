// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts of the language definition; definitions of the Gateway API have the raw ones in three quotes. */
class CelTextsTest {

  private static boolean holds(String rule, String self) {
    return rule(rule).check(Json.text(self), null, false) == null;
  }

  private static CelRule rule(String rule) {
    ObjectNode schema = Json.object().put("type", "string");
    Json.ensureArray(schema, "x-kubernetes-validations").addObject().put("rule", rule);
    return CelRule.of(schema, false).getFirst();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "self.matches(r\"\"\"^[a-z]\\w*$\"\"\") && self == 'abc'",
        "self.matches(R'''^\\w+$''')",
        "self.matches(r'^\\w+$') && self.matches(r\"^\\w+$\")",
        "'''it's ''' + \"\"\"a \"b\" c\"\"\" == \"it's a \\\"b\\\" c\"",
        "'''a\nb''' == 'a\\nb'",
        "'' + \"\" + '''''' + \"\"\"\"\"\" == ''",
        "'\\\\n' == r'\\n'",
        "'\\x41\\u00e4\\U0001F680\\101' == 'A\u00e4\ud83d\ude80A'",
        "'\\a\\b\\f\\r\\t\\v\\?\\`' != ''",
      })
  void aTextInEachForm_isRead(String rule) {
    assertThat(holds(rule, "abc")).as(rule).isTrue();
  }

  @Test
  void aTextThatDoesNotEnd_orAnUnknownEscape_isRefused() {
    for (String wrong :
        new String[] {"self == '", "self == '''a''", "self == \"a\n\"", "'\\q' == ''"}) {
      assertThatThrownBy(() -> rule(wrong).program()).as(wrong).isInstanceOf(CelException.class);
    }
  }
}
