// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rules as a kube-apiserver 1.36 judges them: the files have what it accepts, refuses and finds true for the object
 * beside them.
 */
class CelRulesTest {
  private static final JsonNode SCHEMA = Json.parse(file("schema.json"));
  private static final JsonNode OBJECT = Json.parse(file("object.json"));

  private static String file(String name) {
    return String.join("\n", Json.lines(CelRulesTest.class, name));
  }

  static Stream<String> accepted() {
    return Json.lines(CelRulesTest.class, "accepted.txt").stream();
  }

  static Stream<String> refused() {
    return Json.lines(CelRulesTest.class, "refused.txt").stream();
  }

  static Stream<String> holding() {
    return Json.lines(CelRulesTest.class, "holding.txt").stream();
  }

  private static ObjectNode schema(JsonNode... validations) {
    ObjectNode schema = SCHEMA.deepCopy();
    for (JsonNode validation : validations) {
      Json.ensureArray(schema, "x-kubernetes-validations").add(validation);
    }
    return schema;
  }

  private static ObjectNode rule(String rule) {
    return Json.object().put("rule", rule);
  }

  private static List<String> problems(JsonNode... validations) {
    Causes causes = new Causes();
    var schema = causes.of(schema(validations));
    ValidationCheck.form(schema);
    ValidationCheck.compile(schema, "", false);
    return causes.stream().map(cause -> cause.field() + ": " + cause.message()).toList();
  }

  private static CelRule.@Nullable Verdict check(String rule) {
    return CelRule.of(schema(rule(rule)), false).getFirst().check(OBJECT, OBJECT, false);
  }

  @ParameterizedTest
  @MethodSource
  void accepted(String rule) {
    assertThat(problems(rule(rule))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource
  void refused(String rule) {
    assertThat(problems(rule(rule)))
        .singleElement()
        .asString()
        .startsWith("x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"")
        .containsPattern("compilation failed: ERROR: <input>:1:\\d+: |must evaluate to a bool");
  }

  @ParameterizedTest
  @MethodSource
  void holding(String rule) {
    assertThat(check(rule)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "self.m['zz'] == 'y' | no such key: zz evaluating rule: self.m['zz'] == 'y'",
        "self.m.zz == 'x' | no such key: zz evaluating rule",
        "self.l[7] == 1 | index out of bounds: 7 evaluating rule",
        "1 / int(self.l[0] - 1) == 1 | division by zero evaluating rule",
        "9223372036854775807 + self.l[0] == 1 | integer overflow evaluating rule",
        "self.a.charAt(50) == 'x' | index out of range: 50 evaluating rule",
        "[1].filter(x, x > 5).max() == 1 | max called on empty list evaluating rule",
        "quantity(self.a) == quantity('1') | quantities must match the regular expression",
        "ip(self.a).family() == 4 | IP Address",
        "self.io > 1 | 'no such overload': call arguments did not match a supported operator",
        "self.a.matches(self.br) | error parsing regexp: missing closing ]: `[` evaluating rule",
      })
  void ruleThatCannotBeEvaluated_saysWhy(String rule, String why) {
    CelRule.Verdict verdict = Objects.requireNonNull(check(rule));
    assertThat(verdict.message()).startsWith(why);
    assertThat(verdict.type()).isEqualTo("object");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))",
        "lists.range(100000000).size() == 1",
        "[self.a].map(x, x+x+x+x+x+x+x+x+x+x).map(x, x+x+x+x+x+x+x+x+x+x).map(x, x+x+x+x+x+x+x+x+x+x)"
            + ".map(x, x+x+x+x+x+x+x+x+x+x).map(x, x+x+x+x+x+x+x+x+x+x).map(x, x+x+x+x+x+x+x+x+x+x).size() == 1",
        "lists.range(100000).map(x, '0123456789').join('0123456789') == ''",
        "sets.contains(lists.range(100000), lists.range(100000))",
        "lists.range(900000).map(x, 'aaaaaaaaaa').join().replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaa') == ''",
      })
  void ruleThatTakesTooMuchWork_isCancelled(String rule) {
    assertThat(problems(rule(rule))).isEmpty();
    CelRule.Verdict verdict = Objects.requireNonNull(check(rule));
    assertThat(verdict.message()).containsAnyOf("cost limit exceeded", "Iteration budget exceeded");
  }

  @Test
  void eachMistakeOfAnEntry_isNamed() {
    assertThat(problems(rule("self.a == 'x'").put("fieldPath", ".nope").put("reason", "Odd")))
        .containsExactly(
            "x-kubernetes-validations[0].reason: Unsupported value: \"Odd\": supported values: \"FieldValueDuplicate\","
                + " \"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"",
            "x-kubernetes-validations[0].fieldPath: Invalid value: \".nope\": must be a valid path");
    assertThat(problems(rule("self.a == 'x'").put("messageExpression", "1")))
        .singleElement()
        .asString()
        .startsWith("x-kubernetes-validations[0].messageExpression: ")
        .endsWith("messageExpression must evaluate to a string");
    assertThat(problems(rule("self.a == 'x'").put("messageExpression", "self.nope")))
        .singleElement()
        .asString()
        .contains("messageExpression compilation failed: ERROR: <input>:1:5: undefined field");
    assertThat(problems(rule("self.a == 'x'").put("message", ""))).isEmpty();
    assertThat(problems(rule("self.a == 'x'").put("message", "  "))).hasSize(1);
    assertThat(problems(rule("self.a > 1")))
        .first()
        .asString()
        .contains("{\"Rule\":\"self.a \\u003e 1\",\"Message\":\"\"");
  }

  @ParameterizedTest
  @CsvSource({
    ".o.b, true", ".o['b'], true", "['a'], true", ".mm.x, true", ".mm['x'].b, true", ".l, true",
    "a, false", ".a.b, false", ".l[0], false", "..a, false", ".a., false", ".mm['x'].q, false"
  })
  void fieldPath_leadsToAFieldOfTheSchema(String path, boolean valid) {
    assertThat(problems(rule("true").put("fieldPath", path)).isEmpty()).isEqualTo(valid);
  }

  @Test
  void optionalOldSelf_isAnOptional_andNeedsARuleThatUsesIt() {
    ObjectNode optional =
        rule("!oldSelf.hasValue() || oldSelf.value().a == self.a").put("optionalOldSelf", true);
    assertThat(problems(optional)).isEmpty();
    CelRule rule = CelRule.of(schema(optional), false).getFirst();
    assertThat(rule.check(OBJECT, null, false)).isNull();
    ObjectNode other = OBJECT.deepCopy();
    assertThat(rule.check(OBJECT, other.put("a", "q"), false)).isNotNull();
    assertThat(problems(rule("self.a == 'oldSelf'").put("optionalOldSelf", true)))
        .singleElement()
        .asString()
        .endsWith("may not be set if oldSelf is not used in rule");
  }

  @Test
  void schemaWithoutAType_hasNoRules() {
    Causes causes = new Causes();
    ObjectNode schema = Json.object().put("x-kubernetes-preserve-unknown-fields", true);
    Json.ensureArray(schema, "x-kubernetes-validations").add(rule("true"));
    ValidationCheck.compile(causes.of(schema), "", false);
    assertThat(causes.stream().map(Cause::reason).collect(Collectors.toList()))
        .containsExactly("InternalError");
  }
}
