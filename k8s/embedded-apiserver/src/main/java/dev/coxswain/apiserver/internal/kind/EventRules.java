// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The namespaces of events, and the required fields of the new form; any thread. */
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
  public void validate(@Nullable ObjectNode old, Field event) {
    Field namespace = event.at("involvedObject", "namespace");
    String own = event.at("metadata", "namespace").text();
    boolean timed = event.value().hasNonNull("eventTime");
    boolean cluster = own.equals("default") || (timed && own.equals("kube-system"));
    if (namespace.isEmpty() ? !cluster : !timed && !namespace.text().equals(own)) {
      namespace.invalidText("does not match event.namespace");
    }
    if (timed) {
      Field controller = controller(event);
      controller.required();
      controller.qualified();
      for (Field field : event.each("reportingInstance", "action", "reason")) {
        field.required();
        limited(field, SHORT);
      }
      limited(event.at("message"), LONG);
    }
  }

  /** The controller under the name that the new form has for it. */
  private static Field controller(Field event) {
    return event.at("reportingComponent").as("reportingController");
  }

  private static void limited(Field field, int limit) {
    if (field.text().getBytes(StandardCharsets.UTF_8).length > limit) {
      wrong(field, "can have at most " + limit + " characters");
    }
  }

  /** These failures name no value. */
  private static void wrong(Field field, String why) {
    field.invalid(Cause.quote(""), why);
  }

  /** Checks the rules of the API group {@code events.k8s.io} for events. */
  public static void validateNew(@Nullable ObjectNode old, Field event) {
    Field series = event.at("series");
    boolean newSeries = old == null || !old.path("series").equals(series.value());
    if (newSeries && series.given()) {
      if (series.at("count").value().asInt() < 2) {
        wrong(series.at("count"), "should be at least 2");
      }
      if (!series.value().hasNonNull("lastObservedTime")) {
        series.at("lastObservedTime").missing();
      }
    }
    if (old != null) {
      for (String name : FIXED) {
        boolean renamed = name.equals("reportingComponent");
        (renamed ? controller(event) : event.at(name)).immutable(old.path(name));
      }
      return;
    }
    if (!event.value().hasNonNull("eventTime")) {
      event.at("eventTime").missing();
    }
    Field type = event.at("type");
    if (!List.of("Normal", "Warning").contains(type.text())) {
      wrong(type, "has invalid value: " + type.text());
    }
    for (Field field : event.each("firstTimestamp", "lastTimestamp", "count")) {
      if (field.given() && !List.of("null", "0").contains(field.value().asText())) {
        wrong(field, "needs to be unset");
      }
    }
    Field source = event.at("source");
    if (!source.text("component").isEmpty() || !source.text("host").isEmpty()) {
      wrong(source, "needs to be unset");
    }
  }
}
