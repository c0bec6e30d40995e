// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Checks of single fields that many kinds share; each adds its causes. Any thread. */
public final class Checks {
  private static final Pattern PORT_SIGNS = Pattern.compile("[-a-z0-9]+");
  private static final Pattern PERCENT = Pattern.compile("[0-9]+%");
  private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");

  private Checks() {}

  /** A number, when given, is not negative. */
  public static void nonNegative(JsonNode value, String path, Causes causes) {
    if (value.isNumber() && value.longValue() < 0) {
      causes.invalid(path, value.asText(), "must be greater than or equal to 0");
    }
  }

  /** A port number is between 1 and 65535. */
  public static void port(long port, String path, Causes causes) {
    if (port < 1 || port > 65_535) {
      causes.invalid(path, Long.toString(port), "must be between 1 and 65535, inclusive");
    }
  }

  /** A port as a number or a name. */
  public static void portOrName(JsonNode port, String path, Causes causes) {
    if (port.isTextual()) {
      causes.invalidText(path, port.textValue(), portName(port.textValue()));
    } else {
      port(port.asLong(), path, causes);
    }
  }

  /** Returns what is wrong with the name of a port. */
  public static List<String> portName(String name) {
    List<String> problems = new java.util.ArrayList<>();
    if (name.length() > 15) {
      problems.add("must be no more than 15 characters");
    }
    if (!PORT_SIGNS.matcher(name).matches()) {
      problems.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if (name.chars().noneMatch(c -> c >= 'a' && c <= 'z')) {
      problems.add("must contain at least one letter (a-z)");
    }
    if (name.contains("--")) {
      problems.add("must not contain consecutive hyphens");
    }
    if (name.startsWith("-") || name.endsWith("-")) {
      problems.add("must not begin or end with a hyphen");
    }
    return problems;
  }

  /** Returns what is wrong with the key of a ConfigMap or Secret. */
  public static List<String> configKey(String key) {
    List<String> problems = new java.util.ArrayList<>();
    if (key.length() > 253) {
      problems.add("must be no more than 253 characters");
    }
    if (!KEY.matcher(key).matches()) {
      problems.add(
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
              + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
    }
    if (key.equals(".") || key.equals("..")) {
      problems.add("must not be '" + key + "'");
    } else if (key.startsWith("..")) {
      problems.add("must not start with '..'");
    }
    return problems;
  }

  /** Text that is required. */
  public static boolean required(JsonNode parent, String field, String path, Causes causes) {
    boolean missing = Json.text(parent, field).isEmpty();
    if (missing) {
      causes.required(path + field);
    }
    return !missing;
  }

  /** Text under a key of a map, which paths name in brackets. */
  public static void required(
      JsonNode parent, String key, String path, String shownKey, Causes causes) {
    if (Json.text(parent, key).isEmpty()) {
      causes.required(path + shownKey);
    }
  }

  /** A DNS label. */
  public static void label(String value, String path, Causes causes) {
    causes.invalidText(path, value, Names.label(value));
  }

  /** A DNS subdomain. */
  public static void subdomain(String value, String path, Causes causes) {
    causes.invalidText(path, value, Names.subdomain(value));
  }

  /** Text from a fixed set. */
  public static void oneOf(String value, String path, List<String> supported, Causes causes) {
    if (!supported.contains(value)) {
      causes.notSupported(path, Cause.quote(value), quoted(supported));
    }
  }

  /** Prints texts as a list of supported values. */
  public static String quoted(List<String> values) {
    return values.stream().map(Cause::quote).collect(Collectors.joining(", "));
  }

  /** Keys and values of labels. */
  public static void labels(JsonNode labels, String path, Causes causes) {
    for (Map.Entry<String, JsonNode> e : labels.properties()) {
      String value = e.getValue().asText();
      causes.invalidText(path, e.getKey(), Names.qualified(e.getKey()));
      causes.invalidText(path, value, Names.labelValue(value));
    }
  }

  /** The object form of a label selector. */
  public static void selector(JsonNode selector, String path, Causes causes) {
    labels(selector.path("matchLabels"), path + ".matchLabels", causes);
    int i = 0;
    for (JsonNode expression : selector.path("matchExpressions")) {
      String here = path + ".matchExpressions[" + i++ + "].";
      String operator = Json.text(expression, "operator");
      boolean values = !expression.path("values").isEmpty();
      switch (operator) {
        case "In", "NotIn" -> {
          if (!values) {
            causes.required(
                here + "values", "must be specified when `operator` is 'In' or 'NotIn'");
          }
        }
        case "Exists", "DoesNotExist" -> {
          if (values) {
            causes.forbidden(
                here + "values",
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
          }
        }
        default -> causes.invalidText(here + "operator", operator, "not a valid selector operator");
      }
      String key = Json.text(expression, "key");
      causes.invalidText(here + "key", key, Names.qualified(key));
      int j = 0;
      for (JsonNode value : expression.path("values")) {
        String at = here + "values[" + j++ + "]";
        causes.invalidText(at, value.asText(), Names.labelValue(value.asText()));
      }
    }
  }

  /** A number that is not negative, or a percentage. */
  public static void numberOrPercent(JsonNode value, String path, Causes causes) {
    if (value.isTextual() && !PERCENT.matcher(value.textValue()).matches()) {
      causes.invalidText(
          path,
          value.textValue(),
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%',"
              + " regex used for validation is '[0-9]+%')");
    }
    nonNegative(value, path, causes);
  }

  /** A value that stays what it was. */
  public static void immutable(JsonNode old, JsonNode now, String path, Causes causes) {
    if (!old.equals(now)) {
      causes.invalid(path, now.isMissingNode() ? "null" : now.toString(), "field is immutable");
    }
  }
}
