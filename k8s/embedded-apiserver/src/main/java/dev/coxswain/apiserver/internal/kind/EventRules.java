// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import dev.coxswain.apiserver.internal.status.Names;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fields of events that are always there, and where events may live; any thread. */
public final class EventRules implements KindRules {
  private static final int SHORT = 128;
  private static final int LONG = 1024;
  private static final List<String> FIXED =
      Json.words(
          """
          involvedObject reason message source firstTimestamp lastTimestamp count type
          eventTime action related reportingComponent reportingInstance
          """);

  @Override
  public void defaults(ObjectNode event) {
    if (!event.has("eventTime")) {
      event.putNull("eventTime");
    }
    for (String time : List.of("firstTimestamp", "lastTimestamp")) {
      if (!event.has(time)) {
        event.putNull(time);
      }
    }
    Json.ensure(event, "involvedObject");
    Json.ensure(event, "source");
    Json.putDefault(event, "reportingComponent", "");
    Json.putDefault(event, "reportingInstance", "");
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode event, Causes causes) {
    String of = Json.text(event.get("involvedObject"), "namespace");
    String own = Json.text(event.get("metadata"), "namespace");
    boolean timed = event.hasNonNull("eventTime");
    boolean cluster = own.equals("default") || (timed && own.equals("kube-system"));
    if (of.isEmpty() ? !cluster : !timed && !of.equals(own)) {
      causes.invalidText("involvedObject.namespace", of, "does not match event.namespace");
    }
    if (timed) {
      timed(event, causes);
    }
  }

  /** An event of the new form has more fields that must be there. */
  private static void timed(ObjectNode event, Causes causes) {
    String controller = Json.text(event, "reportingComponent");
    if (controller.isEmpty()) {
      causes.required("reportingController");
    }
    causes.invalidText("reportingController", controller, Names.qualified(controller));
    limited(event, "reportingInstance", true, SHORT, causes);
    limited(event, "action", true, SHORT, causes);
    limited(event, "reason", true, SHORT, causes);
    limited(event, "message", false, LONG, causes);
  }

  private static void limited(
      ObjectNode event, String field, boolean required, int limit, Causes causes) {
    String text = Json.text(event, field);
    if (required && text.isEmpty()) {
      causes.required(field);
    }
    if (text.getBytes(StandardCharsets.UTF_8).length > limit) {
      causes.invalidText(field, "", "can have at most " + limit + " characters");
    }
  }

  /** Checks the rules of the API group {@code events.k8s.io} for events. */
  public static void validateNew(@Nullable ObjectNode old, ObjectNode event, Causes causes) {
    JsonNode series = event.path("series");
    boolean newSeries = old == null || !old.path("series").equals(series);
    if (newSeries && series.isObject()) {
      if (series.path("count").asInt() < 2) {
        causes.invalidText("series.count", "", "should be at least 2");
      }
      if (!series.hasNonNull("lastObservedTime")) {
        causes.required("series.lastObservedTime");
      }
    }
    if (old != null) {
      for (String field : FIXED) {
        Checks.immutable(
            old.path(field),
            event.path(field),
            field.equals("reportingComponent") ? "reportingController" : field,
            causes);
      }
      return;
    }
    if (!event.hasNonNull("eventTime")) {
      causes.required("eventTime");
    }
    String type = Json.text(event, "type");
    if (!type.equals("Normal") && !type.equals("Warning")) {
      causes.invalidText("type", "", "has invalid value: " + type);
    }
    for (String field : List.of("firstTimestamp", "lastTimestamp", "count")) {
      if (event.hasNonNull(field) && !event.path(field).asText().equals("0")) {
        causes.invalidText(field, "", "needs to be unset");
      }
    }
    JsonNode source = event.path("source");
    if (!Json.text(source, "component").isEmpty() || !Json.text(source, "host").isEmpty()) {
      causes.invalidText("source", "", "needs to be unset");
    }
  }
}
