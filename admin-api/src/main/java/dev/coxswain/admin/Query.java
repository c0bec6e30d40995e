// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.Problem.Fault;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The query of a request, read strictly: every parameter must be known, given once and well formed,
 * since a misspelt filter would silently mean "everything".
 */
final class Query {

  private final Map<String, List<String>> values;
  private final Set<String> known = new HashSet<>();
  private final List<Fault> faults = new ArrayList<>();

  private Query(Map<String, List<String>> values) {
    this.values = values;
  }

  static Query parse(@Nullable String text) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    if (text == null || text.isEmpty()) {
      return new Query(values);
    }
    for (String pair : text.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      values.computeIfAbsent(name, n -> new ArrayList<>(1)).add(value);
    }
    return new Query(values);
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(
              "invalid-query", "the query holds a broken percent escape; encode it again")
          .rejection();
    }
  }

  /** Returns all values of a parameter that may be repeated or hold commas. */
  List<String> many(String name) {
    known.add(name);
    List<String> all = new ArrayList<>();
    for (String value : values.getOrDefault(name, List.of())) {
      all.addAll(List.of(value.split(",", -1)));
    }
    return all;
  }

  /** Returns the value of a parameter, or null when it is not there. */
  @Nullable String text(String name, int max) {
    known.add(name);
    List<String> given = values.getOrDefault(name, List.of());
    if (given.isEmpty()) {
      return null;
    }
    if (given.size() > 1) {
      fault(name, "must be given once, found " + given.size());
    }
    String value = given.getFirst();
    if (value.length() > max) {
      fault(name, "must have at most " + max + " characters, found " + value.length());
      return null;
    }
    return value;
  }

  int number(String name, int min, int max, int otherwise) {
    String value = text(name, 20);
    if (value == null) {
      return otherwise;
    }
    if (value.matches("[0-9]{1,9}")) {
      int number = Integer.parseInt(value);
      if (number >= min && number <= max) {
        return number;
      }
    }
    fault(name, "must be a whole number from " + min + " to " + max + ", found \"" + value + "\"");
    return otherwise;
  }

  @Nullable Boolean flag(String name) {
    String value = text(name, 20);
    if (value == null) {
      return null;
    }
    if (value.equals("true")) {
      return true;
    }
    if (!value.equals("false")) {
      fault(name, "must be true or false, found \"" + value + "\"");
    }
    return false;
  }

  void fault(String name, String detail) {
    faults.add(new Fault("parameter", name, detail));
  }

  /** Ends the reading: throws when anything was unknown or wrong. */
  void done() {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        fault(
            name,
            known.isEmpty()
                ? "is unknown; this address takes no parameters"
                : "is unknown; use one of " + String.join(", ", known.stream().sorted().toList()));
      }
    }
    if (!faults.isEmpty()) {
      Fault first = faults.getFirst();
      throw Problem.invalid(
              "invalid-query", "query parameter \"" + first.name() + "\" " + first.detail())
          .with(List.copyOf(faults))
          .rejection();
    }
  }
}
