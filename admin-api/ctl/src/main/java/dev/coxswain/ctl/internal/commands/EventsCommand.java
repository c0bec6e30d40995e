// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.EventStream;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code events}: the full state, and with {@code -w} every later change. */
final class EventsCommand {

  static final Flag WATCH = Flag.alone("--watch", "continue with every change").withLetter('w');
  static final Flag TOPICS =
      Flag.of("--topics", "TOPICS", "controllers, operations, limiters, replicas; comma-separated")
          .withChoices(List.of("controllers", "operations", "limiters", "replicas"));
  static final Flag CONTROLLER =
      Flag.of("--controller", "NAME", "only controllers and operations of this controller")
          .withLetter('c');

  /** Events of the stream itself, which are not printed. */
  private static final List<String> SILENT = List.of(EventStream.SYNCED, "unauthorized");

  /** Events that are reported on the standard error. */
  private static final List<String> REPORTED = List.of(EventStream.RESET, EventStream.PARTIAL);

  private EventsCommand() {}

  static void run(CommandContext context) {
    List<String> words = context.arguments().words();
    if (!words.isEmpty()) {
      throw new CommandException(
          "events takes no names, found \""
              + words.getFirst()
              + "\"; use --topics and --controller to select");
    }
    OutputFormat format = OutputFormat.of(context.arguments());
    if (!List.of("", "wide", "json").contains(format.name())) {
      throw new CommandException(
          "events are printed as text, with their replica (-o wide), or as lines of JSON (-o"
              + " json");
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    context.arguments().put(parameters, "topics", TOPICS);
    context.arguments().put(parameters, "controller", CONTROLLER);
    EventStream stream =
        new EventStream(
            context.client(),
            context.console(),
            parameters,
            context.arguments().on(WATCH),
            (name, object) -> {
              context.print(
                  format.is("json")
                      ? json(name, object)
                      : line(context, name, object, format.is("wide")));
              context.console().deliver();
            });
    if (!stream.follow()) {
      context.addExitCode(ExitCode.PARTIAL);
    }
  }

  private static String json(String name, Json object) {
    return SILENT.contains(name) ? "" : Json.object("event", name, "data", object) + "\n";
  }

  private static String line(CommandContext context, String name, Json object, boolean wide) {
    if (SILENT.contains(name) || REPORTED.contains(name)) {
      return "";
    }
    Instant now = context.now().truncatedTo(ChronoUnit.SECONDS);
    return now
        + "  "
        + (wide ? Console.clean(object.text("replica")) + "  " : "")
        + Console.clean(
            switch (name) {
              case "controller" -> controller(object);
              case "limiter" -> limiter(object);
              case "operation" -> operation(object);
              case "replicas" -> replicas(object);
              default -> name + "  " + object;
            })
        + "\n";
  }

  private static String controller(Json object) {
    Json counts = object.get("counts");
    String state = "controller/" + object.text("controller") + "  " + ResourceKinds.state(object);
    return counts.isObject()
        ? "%s  ready=%s delayed=%s waiting=%s inFlight=%s failing=%s"
            .formatted(
                state,
                counts.text("ready"),
                counts.text("delayed"),
                counts.text("waitingToken"),
                counts.text("inFlight"),
                object.text("failing"))
        : state;
  }

  private static String limiter(Json object) {
    String name = "limiter/" + object.text("name") + "  ";
    return object.flag("gone")
        ? name + "gone"
        : "%s%s  tokens=%s waiters=%s granted=%s denied=%s"
            .formatted(
                name,
                object.flag("degraded")
                    ? "degraded: " + object.text("degradedReason")
                    : object.text("mode"),
                object.text("tokens"),
                object.text("waiters"),
                object.text("granted"),
                object.text("denied"));
  }

  private static String operation(Json object) {
    String id = "operation/" + object.text("id") + "  ";
    return object.flag("gone")
        ? id + "gone"
        : "%s%s of controller %s by %s  %s  done=%s/%s failed=%s"
            .formatted(
                id,
                object.text("action"),
                object.text("controller"),
                object.text("actor"),
                object.text("state"),
                object.text("done"),
                object.text("matched"),
                object.text("failed"));
  }

  private static String replicas(Json object) {
    List<String> names =
        object.list("items").stream().map(replica -> replica.text("name")).toList();
    return "replicas  " + (names.isEmpty() ? "none holds a Lease" : String.join(",", names));
  }
}
