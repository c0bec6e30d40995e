// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One validation rule; immutable, any thread. */
public final class CelRule {
  private final Cel expression;
  private final String rule;
  private final String message;
  private final @Nullable Cel messageExpression;
  private final String reason;
  private final String fieldPath;
  private final boolean optionalOld;

  private CelRule(JsonNode node) {
    this.rule = Json.text(node, "rule");
    this.expression = CelParser.parse(rule);
    String given = Json.text(node, "message");
    this.message = given.isEmpty() ? "failed rule: " + rule.strip() : given.strip();
    String computed = Json.text(node, "messageExpression");
    this.messageExpression = computed.isBlank() ? null : CelParser.parse(computed);
    this.reason = Json.text(node, "reason");
    this.fieldPath = Json.text(node, "fieldPath");
    this.optionalOld = node.path("optionalOldSelf").asBoolean();
  }

  /**
   * Reads an entry of {@code x-kubernetes-validations}; throws {@link CelException} for a rule it
   * cannot read.
   */
  public static CelRule parse(JsonNode node) {
    return new CelRule(node);
  }

  /** Throws {@link CelException} for a rule that cannot be read. */
  public static void verify(String rule) {
    requireNonNull(CelParser.parse(rule));
  }

  /** True when the rule compares with the state before. */
  public boolean transition() {
    return rule.contains("oldSelf");
  }

  /** Reason of the failure as declared, or empty. */
  public String reason() {
    return reason;
  }

  /** Path below the value that the failure names, as in {@code .a.b}, or empty. */
  public String fieldPath() {
    return fieldPath;
  }

  /** Returns what is wrong, null when the rule holds. */
  public @Nullable String check(JsonNode self, @Nullable JsonNode oldSelf) {
    if (transition() && oldSelf == null && !optionalOld) {
      return null;
    }
    Map<String, JsonNode> variables = new HashMap<>();
    variables.put("self", self);
    variables.put("oldSelf", oldSelf == null ? MissingNode.getInstance() : oldSelf);
    try {
      return Cel.truth(expression.evaluate(variables)) ? null : message(variables);
    } catch (CelException e) {
      return "rule evaluation error: " + rule + ": " + e.getMessage();
    }
  }

  /** The computed message when it can be had, else the fixed one. */
  private String message(Map<String, JsonNode> variables) {
    if (messageExpression == null) {
      return message;
    }
    try {
      String text = messageExpression.evaluate(variables).asText().strip();
      return text.isEmpty() || text.contains("\n") ? message : text;
    } catch (CelException e) {
      return message;
    }
  }
}
