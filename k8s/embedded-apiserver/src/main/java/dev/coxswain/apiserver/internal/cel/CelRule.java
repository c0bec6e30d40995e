// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.types.SimpleType;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One validation rule, which is compiled when it is used first; any thread. */
public final class CelRule {
  /**
   * What a rule says of a value that it refuses; immutable.
   *
   * @param message what is wrong
   * @param type the type in the schema of the value for which the rule cannot be evaluated, null when it was
   */
  public record Verdict(String message, @Nullable String type) {}

  private final CelScope scope;
  private final String rule;
  private final String message;
  private final String computed;
  private final String reason;
  private final String fieldPath;
  private final boolean optionalOld;
  private @Nullable CelProgram program;
  private @Nullable CelProgram messageProgram;

  CelRule(JsonNode node, CelScope scope) {
    this.scope = scope;
    this.rule = Json.text(node, "rule");
    String given = Json.text(node, "message").strip();
    this.message = given.isEmpty() ? "failed rule: " + rule.strip() : given;
    this.computed = Json.text(node, "messageExpression");
    this.reason = Json.text(node, "reason");
    this.fieldPath = Json.text(node, "fieldPath");
    this.optionalOld = node.path("optionalOldSelf").asBoolean();
  }

  /**
   * Returns the entries of {@code x-kubernetes-validations} of a node of a schema.
   *
   * @param resource whether the node is the schema of whole objects
   */
  public static List<CelRule> of(JsonNode schema, boolean resource) {
    return CelScope.rules(schema, resource);
  }

  /** Compiles the rule; throws {@link CelException} when that fails. */
  synchronized CelProgram program() {
    if (program == null) {
      program =
          scope
              .environment(optionalOld)
              .compile(rule, SimpleType.BOOL, "cel expression must evaluate to a bool");
    }
    return program;
  }

  /** Compiles the expression for the message, null when there is none; throws {@link CelException}. */
  synchronized @Nullable CelProgram messageProgram() {
    if (messageProgram == null && !computed.isBlank()) {
      messageProgram =
          scope
              .environment(optionalOld)
              .compile(computed, SimpleType.STRING, "messageExpression must evaluate to a string");
    }
    return messageProgram;
  }

  /** True when the rule compares with the state before. */
  public boolean transition() {
    return rule.contains("oldSelf") && program().uses("oldSelf");
  }

  /** Reason of the failure as declared, or empty. */
  public String reason() {
    return reason;
  }

  /** Path below the value that the failure names, as in {@code .a.b}, or empty. */
  public String fieldPath() {
    return fieldPath;
  }

  /**
   * Returns what is wrong, null when the rule holds or does not apply. A rule that cannot be evaluated is wrong as
   * well, and says so.
   *
   * @param unchanged whether the value is what it was, so that only comparisons with the state before matter
   */
  public @Nullable Verdict check(JsonNode self, @Nullable JsonNode oldSelf, boolean unchanged) {
    try {
      boolean transition = transition();
      if ((unchanged && !transition) || (transition && oldSelf == null && !optionalOld)) {
        return null;
      }
      Map<String, Object> variables = variables(self, oldSelf);
      return program().evaluate(variables).equals(true)
          ? null
          : new Verdict(message(variables), null);
    } catch (CelException e) {
      return new Verdict(failure(String.valueOf(e.getMessage())), scope.schemaType());
    }
  }

  private String failure(String why) {
    String shown = message.startsWith("failed rule: ") ? rule.strip() : message;
    if (why.startsWith("no such overload")) {
      return "'"
          + why
          + "': call arguments did not match a supported operator, function or macro signature for rule: "
          + shown;
    }
    if (why.equals(CelBudget.EXCEEDED)) {
      return "'"
          + why
          + "': no further validation rules will be run due to call cost exceeds limit for rule: "
          + shown;
    }
    return why + " evaluating rule: " + shown;
  }

  private Map<String, Object> variables(JsonNode self, @Nullable JsonNode oldSelf) {
    CelShape shape = scope.shape();
    Map<String, Object> variables = new HashMap<>();
    variables.put("self", shape.value(self));
    if (optionalOld) {
      variables.put("oldSelf", Optional.ofNullable(oldSelf).map(shape::value));
    } else if (oldSelf != null) {
      variables.put("oldSelf", shape.value(oldSelf));
    }
    return variables;
  }

  /** The computed message when it can be had, else the fixed one. */
  private String message(Map<String, Object> variables) {
    try {
      CelProgram expression = messageProgram();
      if (expression == null) {
        return message;
      }
      String text = expression.evaluate(variables).toString().strip();
      return text.isEmpty() || text.contains("\n") ? message : text;
    } catch (CelException e) {
      return message;
    }
  }
}
