// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A value with its path in an object; its faults are added to the causes. One thread at a
 * time.
 *
 * @param value the value, which may be missing
 * @param path as in {@code spec.ports[0].port}, empty for the whole object
 * @param causes where causes are added
 */
public record Field(JsonNode value, String path, Causes causes) implements Iterable<Field> {
  private static final Pattern PORT_SIGNS = Pattern.compile("[-a-z0-9]+");
  private static final Pattern PERCENT = Pattern.compile("[0-9]+%");
  private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");

  /** Returns a field of this object, or of an object in it. */
  public Field at(String... names) {
    Field here = this;
    for (String name : names) {
      String below = here.path.isEmpty() ? name : here.path + "." + name;
      here = new Field(here.value.path(name), below, causes);
    }
    return here;
  }

  /** Returns the value under a key of this map. */
  public Field key(String key) {
    return new Field(value.path(key), path + "[" + key + "]", causes);
  }

  /** Returns the same value under another path. */
  public Field as(String otherPath) {
    return new Field(value, otherPath, causes);
  }

  /** Returns the fields of this object with these names. */
  public List<Field> each(String... names) {
    return Stream.of(names).map(this::at).toList();
  }

  /** Iterates over the items of this list. */
  @Override
  public Iterator<Field> iterator() {
    List<Field> items = new ArrayList<>();
    for (JsonNode item : value) {
      items.add(new Field(item, path + "[" + items.size() + "]", causes));
    }
    return items.iterator();
  }

  /** Returns the keys of this map or the names of the fields of this object. */
  public List<String> keys() {
    List<String> keys = new ArrayList<>();
    value.fieldNames().forEachRemaining(keys::add);
    return keys;
  }

  /** Returns the text, empty for anything else. */
  public String text() {
    return value.isTextual() ? value.textValue() : "";
  }

  /** Returns the text of a field of this object, empty for anything else. */
  public String text(String name) {
    return at(name).text();
  }

  public boolean given() {
    return !value.isMissingNode();
  }

  public boolean isTrue() {
    return value.asBoolean();
  }

  /** True for an empty text, list or object, and without one. */
  public boolean isEmpty() {
    return value.isContainerNode() ? value.isEmpty() : text().isEmpty();
  }

  /** Checks a text unless it is empty. */
  public void unlessEmpty(Consumer<Field> check) {
    if (!isEmpty()) {
      check.accept(this);
    }
  }

  private Causes add(String reason, String message) {
    causes.add(new Cause(reason, path, message));
    return causes;
  }

  /** Adds that the value breaks a rule. */
  public Causes invalid(String detail) {
    String shown = value.isTextual() ? Cause.quote(value.textValue()) : value.toString();
    return invalid(given() ? shown : "null", detail);
  }

  /** Adds that a value breaks a rule; {@code shown} is the value as Go prints it. */
  public Causes invalid(String shown, String detail) {
    return add("FieldValueInvalid", "Invalid value: " + shown + ": " + detail);
  }

  /** Adds that the text breaks a rule. */
  public Causes invalidText(String detail) {
    return invalid(Cause.quote(text()), detail);
  }

  /** Adds the rules that the text breaks. */
  public boolean invalidText(List<String> details) {
    details.forEach(this::invalidText);
    return !details.isEmpty();
  }

  /** Adds that the value must be there. */
  public Causes missing() {
    return add("FieldValueRequired", "Required value");
  }

  /** Adds that the value must be there, with the reason. */
  public Causes missing(String detail) {
    return add("FieldValueRequired", "Required value: " + detail);
  }

  /** Adds that a value or change is not allowed. */
  public Causes forbidden(String detail) {
    return add("FieldValueForbidden", "Forbidden: " + detail);
  }

  /** Adds that the text is none of the supported ones. */
  public Causes notSupported(String... supported) {
    return unsupported(Cause.quote(text()), supported);
  }

  /** Adds that a value is none of the supported ones; {@code shown} is the value as Go prints it. */
  public Causes unsupported(String shown, String... supported) {
    String list = Stream.of(supported).map(Cause::quote).collect(Collectors.joining(", "));
    return add(
        "FieldValueNotSupported", "Unsupported value: " + shown + ": supported values: " + list);
  }

  /** Adds that a value exceeds its size. */
  public Causes tooLong(int bytes) {
    return add("FieldValueTooLong", "Too long: may not be more than " + bytes + " bytes");
  }

  /** Adds that a value occurs twice; {@code shown} is the value as Go prints it. */
  public Causes duplicate(String shown) {
    return add("FieldValueDuplicate", "Duplicate value: " + shown);
  }

  /** Adds that the text names something that does not exist. */
  public Causes notFound() {
    return add("FieldValueNotFound", "Not found: " + Cause.quote(text()));
  }

  /** Requires a text or items; true when they are there. */
  public boolean required() {
    if (isEmpty()) {
      missing();
    }
    return !isEmpty();
  }

  /** Requires one of these texts. */
  public void oneOf(String... supported) {
    if (!List.of(supported).contains(text())) {
      notSupported(supported);
    }
  }

  /** Requires a text that is not in the set yet. */
  public void unique(Set<String> seen) {
    if (!seen.add(text())) {
      duplicate(Cause.quote(text()));
    }
  }

  /** Requires that a number, if there is one, is in a range. */
  public void range(long least, long most, String detail) {
    if (value.isNumber() && (value.longValue() < least || value.longValue() > most)) {
      invalid(detail);
    }
  }

  public void nonNegative() {
    range(0, Long.MAX_VALUE, "must be greater than or equal to 0");
  }

  public void positive() {
    range(1, Long.MAX_VALUE, "must be greater than 0");
  }

  /** Requires a number that is not negative, or a percentage. */
  public void numberOrPercent() {
    if (value.isTextual() && !PERCENT.matcher(text()).matches()) {
      invalidText(
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%',"
              + " regex used for validation is '[0-9]+%')");
    }
    nonNegative();
  }

  /** Requires the number of a port. */
  public void port() {
    long port = value.asLong();
    if (port < 1 || port > 65_535) {
      invalid(Long.toString(port), "must be between 1 and 65535, inclusive");
    }
  }

  /** Requires the number or the name of a port. */
  public void portOrName() {
    if (value.isTextual()) {
      portName();
    } else {
      port();
    }
  }

  /** Requires the name of a port; true when it is one. */
  public boolean portName() {
    String name = text();
    List<String> problems = new ArrayList<>();
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
    return !invalidText(problems);
  }

  /** Requires a key of a ConfigMap or Secret; the field is the value under it. */
  public void configKey(String key) {
    if (key.length() > 253) {
      invalid(Cause.quote(key), "must be no more than 253 characters");
    }
    if (!KEY.matcher(key).matches()) {
      invalid(
          Cause.quote(key),
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
              + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
    }
    if (key.equals(".") || key.equals("..")) {
      invalid(Cause.quote(key), "must not be '" + key + "'");
    } else if (key.startsWith("..")) {
      invalid(Cause.quote(key), "must not start with '..'");
    }
  }

  /** Requires a DNS label. */
  public void label() {
    invalidText(Names.label(text()));
  }

  /** Requires a DNS subdomain. */
  public void subdomain() {
    invalidText(Names.subdomain(text()));
  }

  /** Requires a name with an optional prefix. */
  public void qualified() {
    invalidText(Names.qualified(text()));
  }

  /** Checks the keys and values of labels. */
  public void labels() {
    for (String key : keys()) {
      Names.qualified(key).forEach(problem -> invalid(Cause.quote(key), problem));
      key(key).as(path).labelValue();
    }
  }

  private void labelValue() {
    invalidText(Names.labelValue(text()));
  }

  /** Checks the object form of a label selector. */
  public void selector() {
    at("matchLabels").labels();
    for (Field expression : at("matchExpressions")) {
      Field values = expression.at("values");
      Field operator = expression.at("operator");
      switch (operator.text()) {
        case "In", "NotIn" -> {
          if (values.isEmpty()) {
            values.missing("must be specified when `operator` is 'In' or 'NotIn'");
          }
        }
        case "Exists", "DoesNotExist" -> {
          if (!values.isEmpty()) {
            values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
          }
        }
        default -> operator.invalidText("not a valid selector operator");
      }
      expression.at("key").qualified();
      values.forEach(Field::labelValue);
    }
  }

  /** Requires the value that was there before. */
  public void immutable(JsonNode before) {
    if (!value.equals(before)) {
      invalid("field is immutable");
    }
  }
}
