// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the entries of {@code x-kubernetes-validations} in a definition; any thread. */
public final class ValidationCheck {
  private static final String INTERNAL =
      "internal error: failed to construct type information for x-kubernetes-validations rules: ";
  private static final Pattern STEP = Pattern.compile("\\.([^.\\[\\s]+)|\\['([^']+)']");

  private ValidationCheck() {}

  /** Adds what is wrong with the rules of one node of a schema, without compiling them. */
  public static void form(Field schema) {
    schema.at("x-kubernetes-validations").forEach(validation -> form(validation, schema.value()));
  }

  /**
   * Adds what compiling the rules of one node of a schema finds.
   *
   * @param unordered path of the list around it whose items have no identity over time, or empty
   * @param resource whether it is the schema of whole objects
   */
  public static void compile(Field schema, String unordered, boolean resource) {
    Field validations = schema.at("x-kubernetes-validations");
    if (validations.isEmpty()) {
      return;
    }
    CelScope scope = new CelScope(schema.value(), resource);
    try {
      scope.shape();
    } catch (CelException e) {
      String why = "Internal error: " + INTERNAL + e.getMessage();
      schema.causes().add(new Cause("InternalError", validations.path(), why));
      return;
    }
    for (Field validation : validations) {
      compile(validation, new CelRule(validation.value(), scope), unordered);
    }
  }

  private static void form(Field validation, JsonNode schema) {
    Field rule = validation.at("rule");
    Field message = validation.at("message");
    if (rule.text().isBlank()) {
      rule.missing("rule is not specified");
    } else if (blank(message)) {
      message.invalidText("must be non-empty if specified");
    } else if (message.text().strip().contains("\n")) {
      message.invalidText("must not contain line breaks");
    } else if (message.isEmpty() && rule.text().strip().contains("\n")) {
      message.missing("message must be specified if rule contains line breaks");
    }
    Field computed = validation.at("messageExpression");
    if (blank(computed)) {
      computed.missing("messageExpression must be non-empty if specified");
    }
    validation
        .at("reason")
        .unlessEmpty(reason ->
            reason.oneOf(
                "FieldValueDuplicate",
                "FieldValueForbidden",
                "FieldValueInvalid",
                "FieldValueRequired"));
    Field path = validation.at("fieldPath");
    if (blank(path)) {
      path.invalidText("must be non-empty if specified");
    }
    if (path.text().contains("\n")) {
      path.invalidText("must not contain line breaks");
    }
    if (!path.isEmpty() && !leads(path.text(), schema)) {
      path.invalidText("must be a valid path");
    }
  }

  /** True for a text that is there and has nothing but white space. */
  private static boolean blank(Field text) {
    return !text.isEmpty() && text.text().isBlank();
  }

  /** Returns whether a path leads to a field or a map value of the schema. */
  private static boolean leads(String path, JsonNode schema) {
    Matcher step = STEP.matcher(path);
    JsonNode at = schema;
    int end = 0;
    while (end < path.length() && step.find(end) && step.start() == end) {
      String name = step.group(1) == null ? step.group(2) : step.group(1);
      JsonNode field = at.path("properties").path(name);
      at = field.isObject() ? field : at.path("additionalProperties");
      if (!at.isObject()) {
        return false;
      }
      end = step.end();
    }
    return end == path.length();
  }

  private static void compile(Field validation, CelRule rule, String unordered) {
    Field expression = validation.at("rule");
    boolean transition = false;
    try {
      transition = rule.transition();
      rule.program();
      try {
        rule.messageProgram();
      } catch (CelException e) {
        String why = String.valueOf(e.getMessage());
        boolean compiled = why.startsWith("messageExpression must");
        validation
            .at("messageExpression")
            .invalid(shown(validation.value()), compiled ? why : "messageExpression " + why);
      }
    } catch (CelException e) {
      expression.invalid(shown(validation.value()), String.valueOf(e.getMessage()));
    }
    Field optional = validation.at("optionalOldSelf");
    if (transition && !unordered.isEmpty()) {
      expression.invalidText(
          "oldSelf cannot be used on the uncorrelatable portion of the schema within " + unordered);
    } else if (!transition && optional.given()) {
      optional.invalid("may not be set if oldSelf is not used in rule");
    }
  }

  /** An entry as the real server has it in memory. */
  private static String shown(JsonNode validation) {
    ObjectNode shown = Json.object();
    for (String name : List.of("rule", "message", "messageExpression")) {
      shown.put(
          name.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + name.substring(1),
          Json.text(validation, name));
    }
    shown.set("Reason", validation.get("reason"));
    shown.put("FieldPath", Json.text(validation, "fieldPath"));
    shown.set("OptionalOldSelf", validation.get("optionalOldSelf"));
    // as Go escapes texts for HTML
    return shown.toString().replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
  }
}
