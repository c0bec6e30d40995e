// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Changes of named controllers, {@code scale}, {@code pause}, {@code resume}, and of named {@code plugin}s. */
final class ControllerActions {

  static final Flag MAX_CONCURRENT =
      Flag.of("--max-concurrent", "N", "concurrent attempts on each replica");
  static final Flag CURRENT =
      Flag.of("--current-max-concurrent", "N", "change nothing unless the current value is N");

  private static final long MOST = Integer.MAX_VALUE; // the host has a stricter limit

  static final Flag FOR = Flag.of("--for", "DURATION", "resume automatically after, such as 30m");
  static final Flag UNTIL =
      Flag.of("--until", "TIME", "resume automatically at, such as 2026-11-20T10:00:00Z");

  static final Flag CAUSE =
      Flag.of("--cause", "ID", "only the retries of what fails of it, see \"get causes\"");

  static final Flag WAIT =
      Flag.alone("--wait", "wait until the action has ended (default; --wait=false: do not)");
  static final Flag TIMEOUT =
      Flag.of("--timeout", "DURATION", "longest wait, such as 1m; the action continues");

  static final List<String> PLUGIN_ACTIONS = List.of("deploy", "stop", "redeploy");

  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration NO_LIMIT = Duration.ofDays(365);
  private static final Set<String> UNDER_WAY = Set.of("loading", "stopping");
  private static final String PLUGIN_USAGE = "plugin deploy|stop|redeploy NAME...";

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
        (name, done) -> Changes.outcome(done, "scaled from " + before.get(name) + " to " + most));
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
    Map<String, String> headers = new LinkedHashMap<>(CommandContext.once());
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
    String cause = arguments.value(CAUSE);
    each(
        context,
        "pause",
        cause == null ? "paused" : "cause " + cause + " paused",
        Json.object(
            "cause", cause, "duration", arguments.value(FOR), "until", arguments.value(UNTIL)));
  }

  static void resume(CommandContext context) {
    String cause = context.arguments().value(CAUSE);
    each(
        context,
        "resume",
        cause == null ? "resumed" : "cause " + cause + " resumed",
        Json.object("cause", cause));
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
        (_, controller) ->
            Changes.outcome(controller, done + until(controller, body.text("cause"))));
  }

  private static String until(Json controller, String cause) {
    String until =
        cause.isEmpty()
            ? controller.get("pause").text("until")
            : controller.list("pausedCauses").stream()
                .filter(one -> one.text("cause").equals(cause))
                .map(one -> one.text("until"))
                .findFirst()
                .orElse("");
    return until.isEmpty() ? "" : " until " + HumanDuration.time(until);
  }

  static void plugin(CommandContext context) {
    String action = context.words(1, PLUGIN_USAGE).getFirst();
    if (!PLUGIN_ACTIONS.contains(action)) {
      throw new CommandException(
          "unknown action \"%s\", %s".formatted(action, Suggestions.of(action, PLUGIN_ACTIONS)));
    }
    List<String> names = context.names(ResourceKinds.PLUGIN, 1, PLUGIN_USAGE);
    Arguments arguments = context.arguments();
    arguments.duration(TIMEOUT, NO_LIMIT); // validates before any request
    boolean waits = arguments.value(WAIT, "true").equals("true");
    Json order = Json.object("reason", context.reason());
    Changes.each(
        context,
        names,
        name -> {
          Json done = context.change("POST", pluginPath(name) + "/" + action, order);
          if (waits) {
            await(context, name, action);
          }
          return done;
        },
        (_, done) -> outcome(action, done, waits));
  }

  private static String pluginPath(String name) {
    return AdminClient.path("plugins", ResourceKinds.PLUGIN.bareName(name));
  }

  private static String outcome(String action, Json done, boolean waits) {
    String wanted = action.equals("stop") ? "stopped" : "running";
    if (done.text("result").equals("skipped")) {
      return "is " + wanted + " already";
    }
    return waits ? wanted : Console.clean(done.text("phase"));
  }

  /**
   * Waits until the action has ended on all replicas.
   *
   * @throws CommandException when it has failed on one, or not ended in time
   */
  private static void await(CommandContext context, String name, String action) {
    Console console = context.console();
    Instant deadline =
        console.clock().instant().plus(context.arguments().duration(TIMEOUT, NO_LIMIT));
    while (true) {
      boolean ended = true;
      Json first = context.get(pluginPath(name));
      List<Json> all = new ArrayList<>(List.of(first));
      all.addAll(first.list("copies"));
      for (Json plugin : all) {
        if (UNDER_WAY.contains(plugin.text("phase"))) {
          ended = false;
        } else if (!plugin.text("error").isEmpty() && !action.equals("stop")) {
          throw new CommandException(
              "%s %s on replica %s: %s"
                  .formatted(
                      name,
                      Console.clean(plugin.text("phase")),
                      Console.clean(plugin.text("replica")),
                      Console.clean(plugin.text("error"))));
        }
      }
      if (ended) {
        return;
      }
      if (console.clock().instant().isAfter(deadline)) {
        throw new CommandException(
            "%s has not ended its %s; it continues; to see it: get plugins %s"
                .formatted(name, action, ResourceKinds.PLUGIN.bareName(name)));
      }
      console.waitFor(POLL);
    }
  }
}
