// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.describe;

import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The description of a controller. */
final class ControllerTexts {

  private static final int CAUSES = 5;
  private static final int MILLIS = 1000;

  private ControllerTexts() {}

  static void print(CommandContext context, String name) {
    Json controller = context.get(AdminClient.path("controllers", name));
    SectionPrinter to = new SectionPrinter(context);
    state(to, controller);
    to.conditions(controller);
    to.table(
        "Sources",
        List.of("SOURCE", "SYNCED", "PROBLEM"),
        controller.list("sources").stream()
            .map(one -> List.of(one.text("description"), one.text("synced"), one.text("problem")))
            .toList());
    to.table(
        "Paused causes",
        List.of("CAUSE", "SINCE", "ENDS", "BY", "REASON", "ERROR"),
        controller.list("pausedCauses").stream()
            .map(one ->
                List.of(
                    one.text("cause"),
                    to.ago(one, "since"),
                    one.has("until")
                        ? HumanDuration.relative(one.text("until"), context.now())
                        : "never",
                    one.text("by"),
                    one.text("reason"),
                    one.text("error")))
            .toList());
    parts(to, controller);
    limiter(to, controller.get("options").text("limiter"));
    if (controller.text("ownership").equals("sharded")) {
      slots(to);
    }
    causes(context, to, name);
    operations(to, name);
    to.changes(Map.of("controller", name), _ -> true);
  }

  private static void state(SectionPrinter to, Json controller) {
    Json counts = controller.get("counts");
    Json rates = controller.get("throughput");
    Json pause = controller.get("pause");
    to.fields(
        "Name", controller.text("name"),
        "State", ResourceKinds.state(controller),
        "Error", controller.text("error"),
        "No owner since", to.time(controller, "since"),
        "Last owner", controller.text("lastOwner"),
        "Next start", to.time(controller, "nextAttemptAt"),
        "Ownership", controller.text("ownership"),
        "Namespaces",
            controller.list("watchNamespaces").stream()
                .map(Json::asText)
                .collect(Collectors.joining(", ")),
        "Started", to.time(controller, "startedAt"),
        "Paused", pause.text("reason"),
        "Paused since", to.time(pause, "since"),
        "Paused until", to.time(pause, "until"),
        "Items",
            counts.isObject()
                ? "%s: ready %s, delayed %s, waiting %s, in flight %s"
                    .formatted(
                        controller.text("total"),
                        counts.text("ready"),
                        counts.text("delayed"),
                        counts.text("waitingToken"),
                        counts.text("inFlight"))
                : "",
        "Failing",
            controller.has("failing")
                ? controller.text("failing") + " (terminal " + counts.number("terminal") + ")"
                : "",
        "Dirty", some(controller, "dirty"),
        "Overdue", some(controller, "overdue"),
        "Next due", to.time(controller, "nextReadyAt"),
        "Oldest ready", seconds(controller, "oldestReadySeconds"),
        "Longest run", seconds(controller, "longestInFlightSeconds"),
        "Workers",
            controller.has("maxConcurrent")
                ? controller.text("activeWorkers") + "/" + controller.text("maxConcurrent")
                : "",
        "Rate",
            rates.has("1m")
                ? Stream.of("1m", "5m", "1h")
                    .filter(rates::has)
                    .map(window ->
                        String.format(Locale.ROOT, "%.2f/s (%s)", rates.decimal(window), window))
                    .collect(Collectors.joining(", "))
                : "");
  }

  /** Returns a number that is worth a line only if it is one. */
  private static String some(Json of, String field) {
    return of.number(field) == 0 ? "" : of.text(field);
  }

  private static String seconds(Json of, String field) {
    double seconds = of.decimal(field);
    return seconds == 0 ? "" : HumanDuration.shown(Duration.ofMillis((long) (seconds * MILLIS)));
  }

  private static void parts(SectionPrinter to, Json controller) {
    to.table(
        "Replicas",
        List.of(
            "REPLICA", "STATE", "READY", "DELAYED", "WAITING", "IN-FLIGHT", "FAILING", "WORKERS"),
        controller.list("parts").stream()
            .map(part -> {
              Json counts = part.get("counts");
              return List.of(
                  part.text("replica"),
                  part.text("state") + (part.flag("paused") ? ",paused" : ""),
                  counts.text("ready"),
                  counts.text("delayed"),
                  counts.text("waitingToken"),
                  counts.text("inFlight"),
                  part.text("failing"),
                  part.has("maxConcurrent")
                      ? part.text("activeWorkers") + "/" + part.text("maxConcurrent")
                      : "");
            })
            .toList());
  }

  private static void limiter(SectionPrinter to, String name) {
    if (!name.isEmpty()) {
      Json limiter = to.read("Limiter", AdminClient.path("limiters", name));
      if (limiter.isPresent()) {
        to.titled("Limiter", DescribeCommand.limiterFields(to, limiter));
      }
    }
  }

  /** Prints how many slots each replica has; all sharded controllers share them. */
  private static void slots(SectionPrinter to) {
    Json slots =
        to.read("Slots", AdminClient.path("slots") + AdminClient.query(Map.of("limit", "1")));
    if (slots.isPresent()) {
      Json counts = slots.get("counts");
      to.table(
          "Slots (%s owned, %s draining, %s free, %s orphaned)"
              .formatted(
                  counts.text("owned"),
                  counts.text("draining"),
                  counts.text("free"),
                  counts.text("orphaned")),
          List.of("REPLICA", "SLOTS", "OPEN", "INCOMING", "DRAINED"),
          slots.list("shares").stream()
              .map(share ->
                  List.of(
                      share.text("replica"),
                      share.text("slots"),
                      share.text("open"),
                      share.text("incoming"),
                      share.text("drained")))
              .toList());
    }
  }

  private static void causes(CommandContext context, SectionPrinter to, String name) {
    String title = "Top causes";
    Json list =
        to.read(
            title,
            AdminClient.path("controllers", name, "causes")
                + AdminClient.query(Map.of("limit", Integer.toString(CAUSES))));
    if (list.isPresent()) {
      to.table(
          title,
          List.of("CAUSE", "ITEMS", "SHARE", "FAILURES", "LAST SEEN", "PAUSED", "ERROR"),
          list.list("items").stream()
              .map(one ->
                  List.of(
                      one.text("id"),
                      one.text("items"),
                      one.has("share") ? Math.round(one.decimal("share") * 100) + "%" : "",
                      one.text("failures"),
                      to.ago(one, "lastSeen"),
                      one.get("pause").has("until")
                          ? HumanDuration.relative(one.get("pause").text("until"), context.now())
                          : one.has("pause") ? "yes" : "",
                      one.text("error")))
              .toList());
    }
  }

  private static void operations(SectionPrinter to, String name) {
    String title = "Operations under way";
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("controller", name);
    parameters.put("state", "Running");
    Json list = to.read(title, AdminClient.path("operations") + AdminClient.query(parameters));
    if (list.isPresent()) {
      to.table(
          title,
          List.of("ID", "ACTION", "ACTOR", "DONE", "OF", "REASON"),
          list.list("items").stream()
              .map(one ->
                  List.of(
                      one.text("id"),
                      one.text("action"),
                      one.text("actor"),
                      one.text("done"),
                      one.text("matched"),
                      one.text("reason")))
              .toList());
    }
  }
}
