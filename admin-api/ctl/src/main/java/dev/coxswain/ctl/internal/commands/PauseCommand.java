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
import java.util.List;

/** {@code pause} and {@code resume}: stop and resume starting attempts. */
final class PauseCommand {

  static final Flag FOR = Flag.of("--for", "DURATION", "resume automatically after, such as 30m");
  static final Flag UNTIL =
      Flag.of("--until", "TIME", "resume automatically at, such as 2026-11-20T10:00:00Z");

  private PauseCommand() {}

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
