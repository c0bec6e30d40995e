// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Problem.Fault;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The query of a request, read strictly: every parameter must be known, given once and well formed,
 * since a misspelt filter would select all items.
 */
public final class Query {

  private final Map<String, List<String>> values;
  private final Set<String> known = new HashSet<>();
  private final List<Fault> faults = new ArrayList<>();

  private Query(Map<String, List<String>> values) {
    this.values = values;
  }

  public static Query parse(@Nullable String text) {
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

  /** Returns all names and values in turn, in an order that does not depend on that of the query. */
  public List<String> pairs() {
    List<String> pairs = new ArrayList<>();
    new TreeMap<>(values)
        .forEach((name, given) ->
            given.stream().sorted().forEach(value -> pairs.addAll(List.of(name, value))));
    return pairs;
  }

  /** Returns the query without some parameters, otherwise unchanged. */
  public static String without(@Nullable String text, Set<String> names) {
    if (text == null || text.isEmpty()) {
      return "";
    }
    List<String> kept = new ArrayList<>();
    for (String pair : text.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (!names.contains(decode(equals < 0 ? pair : pair.substring(0, equals)))) {
        kept.add(pair);
      }
    }
    return String.join("&", kept);
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(
              "invalid-query", "the query contains an invalid percent escape; encode it again")
          .rejection();
    }
  }

  /** Returns all values of a parameter that may be repeated or contain commas. */
  public List<String> many(String name) {
    known.add(name);
    List<String> all = new ArrayList<>();
    for (String value : values.getOrDefault(name, List.of())) {
      all.addAll(List.of(value.split(",", -1)));
    }
    return all;
  }

  /** Returns the value of a parameter, or null when it is absent. */
  public @Nullable String text(String name, int max) {
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

  public int number(String name, int min, int max, int otherwise) {
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

  public @Nullable Duration duration(String name) {
    String value = text(name, 32);
    if (value == null) {
      return null;
    }
    Duration duration = Durations.parse(value).orElse(null);
    if (duration == null || duration.isZero() || duration.compareTo(Durations.MAX) > 0) {
      fault(
          name,
          "must be "
              + Durations.EXPECTED
              + ", greater than 0 and at most "
              + Durations.format(Durations.MAX)
              + ", found \""
              + value
              + "\"");
      return null;
    }
    return duration;
  }

  @Nullable Instant time(String name) {
    String value = text(name, 40);
    Instant time = value == null ? null : Durations.parseTime(value).orElse(null);
    if (value != null && time == null) {
      fault(name, "must be " + Durations.EXPECTED_TIME + ", found \"" + value + "\"");
    }
    return time;
  }

  /** Returns values that must be among the permitted ones, or null when the parameter is absent. */
  public @Nullable Set<String> some(String name, Set<String> allowed) {
    known.add(name);
    if (!values.containsKey(name)) {
      return null;
    }
    Set<String> chosen = new LinkedHashSet<>();
    for (String value : many(name)) {
      if (!allowed.contains(value)) {
        fault(
            name,
            "must be some of "
                + String.join(", ", allowed)
                + ", found \""
                + Json.line(value, 64)
                + "\"");
      }
      chosen.add(value);
    }
    return chosen;
  }

  public void fault(String name, String detail) {
    faults.add(new Fault("parameter", name, detail));
  }

  /** Throws a {@link dev.coxswain.admin.internal.json.Rejection} with all faults, also for unknown parameters. */
  public void done() {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        fault(
            name,
            known.isEmpty()
                ? "is unknown; this path has no parameters"
                : "is unknown; use one of " + String.join(", ", known.stream().sorted().toList()));
      }
    }
    check();
  }

  /** Throws a {@link dev.coxswain.admin.internal.json.Rejection} with the faults up to now. */
  public void check() {
    if (!faults.isEmpty()) {
      Fault first = faults.getFirst();
      throw Problem.invalid(
              "invalid-query", "query parameter \"" + first.name() + "\" " + first.detail())
          .with(List.copyOf(faults))
          .rejection();
    }
  }
}
