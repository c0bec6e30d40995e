// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CommandException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code scale}: changes the number of concurrent attempts of a controller on each replica. */
final class ScaleCommand {

  static final Flag MAX_CONCURRENT =
      Flag.of("--max-concurrent", "N", "concurrent attempts on each replica");
  static final Flag CURRENT =
      Flag.of("--current-max-concurrent", "N", "change nothing unless the current value is N");

  private static final long MOST = Integer.MAX_VALUE; // the host has a stricter limit

  private ScaleCommand() {}

  static void run(CommandContext context) {
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
        name -> scale(context, name, order, before),
        (name, _) -> "scaled from " + before.get(name) + " to " + most);
  }

  private static Json scale(
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
}
