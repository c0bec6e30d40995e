// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CommandException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Changes of named controllers: {@code scale}, {@code pause}, {@code resume}. */
final class ControllerActions {

  static final Flag MAX_CONCURRENT =
      Flag.of("--max-concurrent", "N", "concurrent attempts on each replica");
  static final Flag CURRENT =
      Flag.of("--current-max-concurrent", "N", "change nothing unless the current value is N");

  private static final long MOST = Integer.MAX_VALUE; // the host has a stricter limit

  static final Flag FOR = Flag.of("--for", "DURATION", "resume automatically after, such as 30m");
  static final Flag UNTIL =
      Flag.of("--until", "TIME", "resume automatically at, such as 2026-11-20T10:00:00Z");

  private ControllerActions() {}

  static void scale(CommandContext context) {
    List<String> names =
        context.names(ResourceKinds.CONTROLLER, 0, "scale CONTROLLER... --max-concurrent N");
    Arguments arguments = context.arguments();
    if (!arguments.has(MAX_CONCURRENT)) {
      throw new CommandException(
          "scale needs --max-concurrent: concurrent attempts on each replica");
    }
    long most = arguments.number(MAX_CONCURRENT, 1, 1, MOST);
    arguments.number(CURRENT, 1, 1, MOST); // validates before any request
    Json order = Json.object("maxConcurrent", most, "reason", context.reason());
    Map<String, String> before = new LinkedHashMap<>();
    Changes.each(
        context,
        names,
        name -> scaled(context, name, order, before),
        (name, _) -> "scaled from " + before.get(name) + " to " + most);
  }

  private static Json scaled(
      CommandContext context, String name, Json order, Map<String, String> before) {
    String path = AdminClient.path("controllers", GetCommand.controller(name));
    AdminClient.Answer seen = context.client().getWithRevision(path);
    String now = seen.body().text("maxConcurrent");
    if (context.arguments().has(CURRENT)
        && Long.parseLong(context.arguments().value(CURRENT, ""))
            != seen.body().number("maxConcurrent")) {
      throw new CommandException(
          "%s: expected max-concurrent %s, found %s; nothing was changed"
              .formatted(name, context.arguments().value(CURRENT), now));
    }
    before.put(name, now);
    Map<String, String> headers = new LinkedHashMap<>(Changes.once());
    // Each replica that runs it has a revision of its own; there is none for all.
    if (seen.body().list("parts").size() < 2 && !seen.etag().isEmpty()) {
      headers.put("If-Match", seen.etag());
    }
    return context.client().change("PUT", path + "/scale", order, headers).body();
  }

  static void pause(CommandContext context) {
    Arguments arguments = context.arguments();
    arguments.duration(FOR, Duration.ZERO); // validates
    if (arguments.has(FOR) && arguments.has(UNTIL)) {
      throw new CommandException("give either --for or --until");
    }
    each(
        context,
        "pause",
        "paused",
        Json.object("duration", arguments.value(FOR), "until", arguments.value(UNTIL)));
  }

  static void resume(CommandContext context) {
    each(context, "resume", "resumed", Json.object());
  }

  private static void each(CommandContext context, String verb, String done, Json order) {
    List<String> names = context.names(ResourceKinds.CONTROLLER, 0, verb + " CONTROLLER...");
    Json body = order.with("reason", context.reason());
    Changes.each(
        context,
        names,
        name -> {
          String path = AdminClient.path("controllers", GetCommand.controller(name));
          return Changes.ofWhatIsThere(context, "POST", path + "/" + verb, body, path);
        },
        (_, controller) -> done + until(controller));
  }

  private static String until(Json controller) {
    String until = controller.get("pause").text("until");
    return until.isEmpty() ? "" : " until " + HumanDuration.time(until);
  }
}
