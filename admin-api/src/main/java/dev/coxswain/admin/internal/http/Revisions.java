// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ControllerStatus;
import java.util.List;
import java.util.Objects;
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
   */
  private static String ofList(ObjectNode list) {
    StringBuilder text = new StringBuilder();
    append(text, list);
    return "W/\"" + Hashes.of(List.of(text.toString())).substring(0, 22) + "\"";
  }

  private static void append(StringBuilder text, JsonNode node) {
    if (node.isObject() && node.has("rev") && node.has("seq")) {
      text.append(node.path("replica").asText()).append('/');
      text.append(node.path("id").asText()).append('@').append(node.path("rev").asText());
      text.append(node.path("phase").asText()).append(';');
    } else if (node.isContainerNode()) {
      node.properties()
          .forEach(field -> {
            if (!PASSING.contains(field.getKey()) && !isAge(field.getKey())) {
              text.append(field.getKey()).append('=');
              if (field.getKey().equals("nextReadyAt")) {
                text.append(
                    field.getValue().asText(),
                    0,
                    19); // computed for each response; compared to the second
              } else {
                append(text, field.getValue());
              }
            }
          });
      if (node.isArray()) {
        text.append('[');
        node.forEach(element -> append(text, element));
        text.append(']');
      }
    } else {
      // With its length, so that a text differs from other nodes.
      String value = node.asText();
      text.append(node.isTextual() ? '"' : '=').append(value.length()).append(':').append(value);
    }
  }

  private static boolean isAge(String field) {
    return field.regionMatches(
        true, field.length() - SECONDS.length(), SECONDS, 0, SECONDS.length());
  }

  /** Returns a list with its ETag, or 304 for a client that sends this ETag in If-None-Match. */
  static Response unlessKnown(Response list, List<String> ifNoneMatch) {
    String etag = ofList(Json.tree(Objects.requireNonNull(list.body())));
    Response sent = matchesAny(ifNoneMatch, etag) ? Response.notModified() : list;
    return sent.withHeader("ETag", etag);
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
