// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ControllerStatus;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Revisions (ETags) of resources, and the checks of If-Match and If-None-Match. */
public final class Revisions {

  private static final Pattern QUOTED = Pattern.compile("\"([\\x21\\x23-\\x7e]{1,64})\"");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /** The fields that change with time only. */
  private static final List<String> PASSING = List.of("asOf", "tokens");

  /** What tells two versions of an item apart: with the first two, an object is an item. */
  private static final List<String> OF_ITEM = List.of("rev", "seq", "replica", "id", "phase");

  private static final String SECONDS = "seconds";

  private Revisions() {}

  /** Returns the revision of the settings of a controller: its run, pauses and concurrency. */
  public static String of(ControllerHandle handle) {
    ControllerStatus status = handle.status();
    ControllerStatus.Pause pause = status.pause();
    return Hashes.of(
            List.of(
                handle.name(),
                status.startedAt().toString(),
                Integer.toString(status.concurrency()),
                pause == null ? "-" : text(pause),
                status.pausedCauses().entrySet().stream()
                    .map(entry -> entry.getKey().id() + " " + text(entry.getValue()))
                    .sorted()
                    .collect(Collectors.joining("\n"))))
        .substring(0, 16);
  }

  private static String text(ControllerStatus.Pause pause) {
    return pause.reason() + " " + pause.since() + " " + pause.until();
  }

  /**
   * Returns a weak ETag of a list. Items are compared by their revision, since their relative times
   * are computed for each response.
   *
   * @param list its JSON, as this replica has written it
   */
  static String ofList(byte[] list) {
    StringBuilder text = new StringBuilder();
    try (JsonParser json = Json.written(list)) {
      json.nextToken();
      append(text, json);
    } catch (IOException e) {
      throw new IllegalStateException("a list was not written as JSON", e);
    }
    return "W/\"" + Hashes.of(List.of(text.toString())).substring(0, 22) + "\"";
  }

  /** Appends the value at whose first token the parser is; afterwards it is at its last one. */
  private static void append(StringBuilder text, JsonParser json) throws IOException {
    switch (json.currentToken()) {
      case START_OBJECT -> appendObject(text, json);
      case START_ARRAY -> {
        text.append('[');
        while (json.nextToken() != JsonToken.END_ARRAY) {
          append(text, json);
        }
        text.append(']');
      }
      default -> {
        // With its length, so that a text differs from other values.
        String value = json.getText();
        text.append(json.currentToken() == JsonToken.VALUE_STRING ? '"' : '=')
            .append(value.length())
            .append(':')
            .append(value);
      }
    }
  }

  private static void appendObject(StringBuilder text, JsonParser json) throws IOException {
    int begin = text.length();
    Map<String, String> item = new HashMap<>(8);
    text.append('{');
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      JsonToken token = json.nextToken();
      if (OF_ITEM.contains(field) && token.isScalarValue()) {
        item.put(field, json.getText());
      }
      if (PASSING.contains(field) || isAge(field)) {
        json.skipChildren();
        continue;
      }
      text.append(field).append('=');
      if (field.equals("nextReadyAt") && token == JsonToken.VALUE_STRING) {
        text.append(json.getText(), 0, 19); // computed for each response; compared to the second
      } else {
        append(text, json);
      }
    }
    text.append('}');
    if (item.containsKey("rev") && item.containsKey("seq")) {
      text.setLength(begin);
      OF_ITEM.forEach(field -> text.append(item.getOrDefault(field, "")).append('/'));
    }
  }

  private static boolean isAge(String field) {
    return field.regionMatches(
        true, field.length() - SECONDS.length(), SECONDS, 0, SECONDS.length());
  }

  /** Returns whether the values of If-None-Match contain this ETag. */
  public static boolean matchesAny(List<String> ifNoneMatch, String etag) {
    for (String header : ifNoneMatch) {
      for (String candidate : header.split(",", -1)) {
        String one = candidate.trim();
        if (one.equals("*") || one.equals(etag) || ("W/" + one).equals(etag)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns the revision in If-Match; null without one and for any revision. */
  public static @Nullable String ifMatch(@Nullable String header) {
    if (header == null || header.trim().equals("*")) {
      return null;
    }
    Matcher quoted = QUOTED.matcher(header.trim());
    if (!quoted.matches()) {
      throw invalidIfMatch("must be one revision in quotes, or *");
    }
    return quoted.group(1);
  }

  /** Returns the revision of an item in If-Match; null for any revision. */
  static @Nullable Long ofItem(@Nullable String header) {
    String revision = ifMatch(header);
    if (revision == null) {
      return null;
    }
    if (!NUMBER.matcher(revision).matches()) {
      throw invalidIfMatch("must be one revision of an item in quotes, or *");
    }
    return Long.valueOf(revision);
  }

  static Rejection invalidIfMatch(String detail) {
    return Problem.invalid(
            "invalid-header",
            "If-Match must be the revision in quotes, such as \"17\", or *",
            new Problem.Fault("header", "If-Match", detail))
        .rejection();
  }
}
