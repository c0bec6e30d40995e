// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import static dev.coxswain.ctl.internal.print.ResourceKind.Column.column;
import static dev.coxswain.ctl.internal.print.ResourceKind.Column.wide;

import dev.coxswain.ctl.internal.print.ResourceKind.Column;
import dev.coxswain.ctl.internal.print.ResourceKind.Visibility;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The kinds of the admin API and the columns of their tables. */
public final class ResourceKinds {

  private static final int ERROR_LENGTH = 60;
  private static final String NO_OWNER = "noOwner";

  public static final ResourceKind CONTROLLER =
      new ResourceKind(
          "controller",
          "controllers",
          List.of("ctl"),
          controller -> controller.text("name"),
          List.of(
              column("NAME", (controller, _) -> controller.text("name")),
              column("STATE", (controller, _) -> state(controller)),
              column("READY", (controller, _) -> count(controller, "ready")),
              column("DELAYED", (controller, _) -> count(controller, "delayed")),
              column("WAITING", (controller, _) -> count(controller, "waitingToken")),
              column("IN-FLIGHT", (controller, _) -> count(controller, "inFlight")),
              column("FAILING", (controller, _) -> controller.text("failing")),
              column("AGE", (controller, now) -> age(controller, "startedAt", now)),
              wide("TERMINAL", (controller, _) -> count(controller, "terminal")),
              wide("WORKERS", (controller, _) -> workers(controller)),
              wide("OLDEST-READY", (controller, _) -> seconds(controller, "oldestReadySeconds")),
              wide("LONGEST-RUN", (controller, _) -> seconds(controller, "longestInFlightSeconds")),
              wide("RATE", (controller, _) -> rate(controller, "1m")),
              wide("LIMITER", (controller, _) -> controller.get("options").text("limiter")),
              wide("OWNERSHIP", (controller, _) -> controller.get("options").text("ownership")),
              wide("REPLICAS", (controller, _) -> replicas(controller)),
              wide("PROBLEM", (controller, _) -> problem(controller))));

  public static final ResourceKind ITEM =
      new ResourceKind(
          "item",
          "items",
          List.of(),
          item -> key(item.get("key")),
          List.of(
              new Column(
                  "NAMESPACE",
                  Visibility.ALL_NAMESPACES,
                  (item, _) -> item.get("key").text("namespace")),
              column("NAME", (item, _) -> item.get("key").text("name")),
              column("PHASE", (item, _) -> phase(item)),
              column("FAILURES", (item, _) -> item.text("failures")),
              column("WHEN", ResourceKinds::when),
              column("LAST ERROR", (item, _) -> Table.cut(item.text("lastError"), ERROR_LENGTH)),
              wide("TRIGGER", (item, _) -> item.text("trigger")),
              wide("PRIORITY", (item, _) -> item.text("priority")),
              wide("REPLICA", (item, _) -> item.text("replica")),
              wide("REV", (item, _) -> item.text("rev")),
              wide("ID", (item, _) -> item.text("id"))));

  public static final ResourceKind REPLICA =
      new ResourceKind(
          "replica",
          "replicas",
          List.of(),
          ResourceKinds::replicaName,
          List.of(
              column("NAME", (replica, _) -> replicaName(replica)),
              column("STATE", (replica, _) -> replicaState(replica)),
              column("SLOTS", (replica, _) -> replica.text("slots")),
              column("LEASE", (replica, _) -> replica.text("ordinal")),
              column("VERSION", (replica, _) -> replica.text("version")),
              column("CONTROLLERS", (replica, _) -> controllers(replica)),
              column("AGE", (replica, now) -> age(replica, "startedAt", now)),
              wide("WEIGHT", (replica, _) -> replica.text("weight")),
              wide("LEASE-AGE", (replica, now) -> age(replica, "since", now)),
              wide("GENERATION", (replica, _) -> replica.text("generation")),
              wide("ADDRESS", (replica, _) -> replica.text("address")),
              wide("ERROR", (replica, _) -> replica.text("error"))));

  public static final ResourceKind SLOT =
      new ResourceKind(
          "slot",
          "slots",
          List.of(),
          slot -> slot.text("slot"),
          List.of(
              column("SLOT", (slot, _) -> slot.text("slot")),
              column("STATE", (slot, _) -> slot.text("state")),
              column("OWNER", (slot, _) -> slot.text("owner")),
              column("EPOCH", (slot, _) -> slot.text("epoch")),
              column("TARGET", (slot, _) -> slot.text("target")),
              wide("STAGE", (slot, _) -> slot.text("stage")),
              wide("TARGET-STAGE", (slot, _) -> slot.text("targetStage")),
              wide("OWNER-IDENTITY", (slot, _) -> slot.text("ownerIdentity")),
              wide("TARGET-IDENTITY", (slot, _) -> slot.text("targetIdentity"))));

  public static final ResourceKind LIMITER =
      new ResourceKind(
          "limiter",
          "limiters",
          List.of(),
          limiter -> limiter.text("name"),
          List.of(
              column("NAME", (limiter, _) -> limiter.text("name")),
              column("MODE", (limiter, _) -> mode(limiter)),
              column("RATE", (limiter, _) -> limiter.text("refillPerSecond")),
              column("BURST", (limiter, _) -> limiter.text("capacity")),
              column("TOKENS", (limiter, _) -> oneDigit(limiter, "tokens")),
              column("WAITERS", (limiter, _) -> limiter.text("waiters")),
              column("GRANTED", (limiter, _) -> limiter.text("granted")),
              column("DENIED", (limiter, _) -> limiter.text("denied")),
              wide("SOURCE", (limiter, _) -> limiter.text("source")),
              wide("EXPIRES", (limiter, now) -> expires(limiter, now)),
              wide("CONSUMERS", (limiter, _) -> joined(limiter.list("consumers"))),
              wide("REPLICAS", (limiter, _) -> each(limiter, part -> part.text("replica"))),
              wide("WAITERS-EACH", (limiter, _) -> each(limiter, part -> part.text("waiters"))),
              wide("GRANTED-EACH", (limiter, _) -> each(limiter, part -> part.text("granted"))),
              wide("FLOOR-EACH", (limiter, _) -> each(limiter, ResourceKinds::floor)),
              wide("REASON", (limiter, _) -> limiter.text("degradedReason"))));

  public static final ResourceKind PLUGIN =
      new ResourceKind(
          "plugin",
          "plugins",
          List.of(),
          plugin -> plugin.text("name"),
          List.of(
              column("NAME", (plugin, _) -> plugin.text("name")),
              column("REPLICA", (plugin, _) -> plugin.text("replica")),
              column("PHASE", (plugin, _) -> plugin.text("phase")),
              column("CONTROLLERS", (plugin, _) -> joined(plugin.list("controllers"))),
              column("AGE", (plugin, now) -> age(plugin, "since", now)),
              column("ERROR", (plugin, _) -> Table.cut(plugin.text("error"), ERROR_LENGTH)),
              wide("DEPLOYMENTS", (plugin, _) -> plugin.text("deployments")),
              wide("DIGEST", (plugin, _) -> plugin.text("digest"))));

  public static final ResourceKind CONFIGURATION =
      new ResourceKind(
          "config",
          "config",
          List.of(),
          config -> config.text("replica"),
          List.of(
              column("REPLICA", (config, _) -> config.text("replica")),
              column("STATE", (config, _) -> config.text("state")),
              column("AGE", (config, now) -> age(config, "loadedAt", now)),
              column("NEEDS-RESTART", (config, _) -> joined(config.list("needsRestart"))),
              column(
                  "ERROR", (config, _) -> Table.cut(joined(config.list("errors")), ERROR_LENGTH)),
              wide("FILE", (config, _) -> config.text("file")),
              wide("CHANGED", (config, _) -> joined(config.list("changed"))),
              wide("SETTLING", (config, _) -> joined(config.list("settling")))));

  public static final ResourceKind OPERATION =
      new ResourceKind(
          "operation",
          "operations",
          List.of("op", "ops"),
          operation -> operation.text("id"),
          List.of(
              column("ID", (operation, _) -> operation.text("id")),
              column("CONTROLLER", (operation, _) -> operation.text("controller")),
              column("ACTION", (operation, _) -> operation.text("action")),
              column("STATE", (operation, _) -> operation.text("state")),
              column(
                  "DONE",
                  (operation, _) -> operation.text("done") + "/" + operation.text("matched")),
              column("FAILED", (operation, _) -> operation.text("failed")),
              column("ACTOR", (operation, _) -> operation.text("actor")),
              column("AGE", (operation, now) -> age(operation, "startedAt", now)),
              column("ENDS", (operation, now) -> expectedEnd(operation, now)),
              wide("REASON", (operation, _) -> operation.text("reason")),
              wide("DETAIL", (operation, _) -> operation.text("detail"))));

  public static final ResourceKind AUDIT =
      new ResourceKind(
          "audit",
          "audit",
          List.of("audits"),
          entry -> entry.text("seq"),
          List.of(
              column("AGE", (entry, now) -> age(entry, "at", now)),
              column("STAGE", (entry, _) -> entry.text("stage")),
              column("ACTOR", (entry, _) -> entry.text("actor")),
              column("ACTION", (entry, _) -> entry.text("action")),
              column("CONTROLLER", (entry, _) -> entry.text("controller")),
              column("ON", (entry, _) -> changedThing(entry)),
              column("CHANGE", (entry, _) -> change(entry.text("change"))),
              column("RESULT", (entry, _) -> entry.text("result")),
              column("REASON", (entry, _) -> entry.text("reason")),
              wide("TIME", (entry, _) -> HumanDuration.time(entry.text("at"))),
              wide("REQUEST", (entry, _) -> entry.text("requestId")),
              wide("REPLICA", (entry, _) -> entry.text("replica")),
              wide("REMOTE", (entry, _) -> entry.text("remote")),
              wide("SELECTOR", (entry, _) -> entry.text("selector"))));

  public static final List<ResourceKind> ALL =
      List.of(CONTROLLER, ITEM, REPLICA, SLOT, LIMITER, PLUGIN, CONFIGURATION, OPERATION, AUDIT);

  /** The ending of the fields of a change with the values before it. */
  private static final String BEFORE = "Before";

  private ResourceKinds() {}

  private static String changedThing(Json entry) {
    for (String kind : List.of("limiter", "plugin")) {
      if (entry.has(kind)) {
        return kind + "/" + entry.text(kind);
      }
    }
    return entry.text("item") + entry.text("operation");
  }

  /**
   * Returns a change as {@code rate 10 -> 5, ttl 30m}; a text that is no JSON object stays as it is.
   */
  private static String change(String text) {
    Json values;
    try {
      values = Json.parse(text);
    } catch (IOException e) {
      return text;
    }
    List<String> names = values.names();
    return names.isEmpty()
        ? text
        : names.stream()
            .filter(name -> !name.endsWith(BEFORE) || !values.has(name.replace(BEFORE, "")))
            .map(name ->
                name
                    + " "
                    + (values.has(name + BEFORE) ? values.text(name + BEFORE) + " -> " : "")
                    + values.text(name))
            .collect(Collectors.joining(", "));
  }

  /** Returns a key as {@code namespace/name}. */
  public static String key(Json key) {
    return key.text("namespace") + "/" + key.text("name");
  }

  /** Returns the state of a controller with its pause and conditions. */
  public static String state(Json controller) {
    Stream<String> conditions =
        controller.list("conditions").stream()
            .map(one -> one.text("type"))
            .filter(type -> !type.equals(NO_OWNER)) // same as the state
            .distinct();
    return Stream.concat(
            Stream.of(controller.text("state") + (controller.flag("paused") ? ",paused" : "")),
            conditions)
        .collect(Collectors.joining(","));
  }

  /** Returns the phase of an item with its marks, such as {@code dirty}. */
  public static String phase(Json item) {
    return item.text("phase")
        + (item.flag("dirty") ? ",dirty" : "")
        + (item.flag("overdue") ? ",overdue" : "");
  }

  /** Returns the start or the end of its phase, relative to now. */
  static String when(Json item, Instant now) {
    for (String field : new String[] {"startedAt", "waitingSince", "readyAt", "failedAt"}) {
      if (item.has(field)) {
        return HumanDuration.relative(item.text(field), now);
      }
    }
    return "";
  }

  public static String rate(Json controller, String window) {
    Json throughput = controller.get("throughput");
    return throughput.has(window)
        ? String.format(Locale.ROOT, "%.2f/s", throughput.decimal(window))
        : "";
  }

  public static String workers(Json controller) {
    return controller.has("maxConcurrent")
        ? controller.text("activeWorkers") + "/" + controller.text("maxConcurrent")
        : "";
  }

  public static String seconds(Json object, String name) {
    return object.has(name)
        ? HumanDuration.shown(Duration.ofMillis(Math.round(object.decimal(name) * 1000)))
        : "";
  }

  private static String count(Json controller, String phase) {
    return controller.get("counts").text(phase);
  }

  private static String age(Json object, String field, Instant now) {
    return object.has(field) ? HumanDuration.since(object.text(field), now) : "";
  }

  private static String replicas(Json controller) {
    List<Json> parts = controller.list("parts");
    return parts.isEmpty()
        ? controller.text("replica")
        : String.join(",", parts.stream().map(part -> part.text("replica")).toList());
  }

  /** Returns why a controller has no owner, or an empty text. */
  public static String unowned(Json controller) {
    return controller.list("conditions").stream()
        .filter(condition -> condition.text("type").equals(NO_OWNER))
        .map(condition -> condition.text("message"))
        .findFirst()
        .orElse("");
  }

  private static String problem(Json controller) {
    String error = controller.text("error");
    return error.isEmpty()
        ? Stream.concat(
                controller.list("conditions").stream().map(one -> condition(controller, one)),
                controller.list("sources").stream()
                    .map(source -> source.text("problem"))
                    .filter(text -> !text.isEmpty()))
            .collect(Collectors.joining("; "))
        : error;
  }

  private static String condition(Json controller, Json condition) {
    return "%s%s: %s"
        .formatted(
            condition.text("type"),
            controller.list("parts").size() > 1 ? " (" + condition.text("replica") + ")" : "",
            condition.text("message"));
  }

  private static String replicaName(Json replica) {
    return replica.has("replica") ? replica.text("replica") : replica.text("name");
  }

  private static String replicaState(Json replica) {
    return replica.text("state")
        + (replica.flag("drained") ? ",drained" : "")
        + (replica.flag("leaving") ? ",leaving" : "")
        + replica.list("conditions").stream()
            .map(condition -> "," + condition.text("type"))
            .collect(Collectors.joining());
  }

  private static String controllers(Json replica) {
    return replica.has("controllers")
        ? joined(replica.list("controllers").stream().map(one -> one.get("name")).toList())
        : "";
  }

  private static String mode(Json limiter) {
    return limiter.flag("degraded") ? limiter.text("mode") + ",degraded" : limiter.text("mode");
  }

  /** Returns a value of each replica, in the same order in every column. */
  private static String each(Json limiter, Function<Json, String> shown) {
    return String.join(",", limiter.list("parts").stream().map(shown).toList());
  }

  private static String floor(Json part) {
    Json floor = part.get("floor");
    return floor.has("refillPerSecond")
        ? String.format(Locale.ROOT, "%.2f/s", floor.decimal("refillPerSecond"))
        : "-";
  }

  private static String expires(Json limiter, Instant now) {
    return limiter.has("expiresAt") ? HumanDuration.relative(limiter.text("expiresAt"), now) : "";
  }

  /** Returns when the last item of an operation is expected to be due, or an empty text. */
  public static String expectedEnd(Json operation, Instant now) {
    return operation.has("expectedEnd")
        ? HumanDuration.relative(operation.text("expectedEnd"), now)
        : "";
  }

  private static String oneDigit(Json object, String name) {
    return object.has(name) ? String.format(Locale.ROOT, "%.1f", object.decimal(name)) : "";
  }

  private static String joined(List<Json> values) {
    return String.join(",", values.stream().map(Json::asText).toList());
  }
}
