// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One validation rule; immutable, any thread. */
public final class CelRule {
  private final Cel expression;
  private final String rule;
  private final String message;

  private CelRule(Cel expression, String rule, String message) {
    this.expression = expression;
    this.rule = rule;
    this.message = message;
  }

  /**
   * Reads an entry of {@code x-kubernetes-validations}; throws {@link CelException} for a rule it
   * cannot read.
   */
  public static CelRule parse(JsonNode node) {
    String rule = Json.text(node, "rule");
    String message = Json.text(node, "message");
    return new CelRule(
        CelParser.parse(rule), rule, message.isEmpty() ? "failed rule: " + rule : message);
  }

  /** Throws {@link CelException} for a rule that cannot be read. */
  public static void verify(String rule) {
    requireNonNull(CelParser.parse(rule));
  }

  /** True when the rule compares with the state before. */
  public boolean transition() {
    return rule.contains("oldSelf");
  }

  /** Returns what is wrong, null when the rule holds. */
  public @Nullable String check(JsonNode self, @Nullable JsonNode oldSelf) {
    if (transition() && oldSelf == null) {
      return null;
    }
    Map<String, JsonNode> variables = new HashMap<>();
    variables.put("self", self);
    if (oldSelf != null) {
      variables.put("oldSelf", oldSelf);
    }
    try {
      return expression.evaluate(variables).asBoolean() ? null : message;
    } catch (CelException e) {
      return "rule evaluation error: " + rule + ": " + e.getMessage();
    }
  }
}
