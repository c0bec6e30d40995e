// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CommandException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.Suggestions;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** {@code plugin}: deploys, stops and replaces plug-ins, and waits until that has ended. */
final class PluginCommand {

  static final Flag WAIT =
      Flag.alone("--wait", "wait until the action has ended (default; --wait=false: do not)");
  static final Flag TIMEOUT =
      Flag.of("--timeout", "DURATION", "longest wait, such as 1m; the action continues");

  static final List<String> ACTIONS = List.of("deploy", "stop", "redeploy");

  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration NO_LIMIT = Duration.ofDays(365);
  private static final Set<String> UNDER_WAY = Set.of("loading", "stopping");
  private static final String USAGE = "plugin deploy|stop|redeploy NAME...";

  private PluginCommand() {}

  static void run(CommandContext context) {
    String action = context.words(1, USAGE).getFirst();
    if (!ACTIONS.contains(action)) {
      throw new CommandException(
          "unknown action \"%s\", %s".formatted(action, Suggestions.of(action, ACTIONS)));
    }
    List<String> names = context.names(ResourceKinds.PLUGIN, 1, USAGE);
    Arguments arguments = context.arguments();
    arguments.duration(TIMEOUT, NO_LIMIT); // validates before any request
    boolean waits = arguments.value(WAIT, "true").equals("true");
    Json order = Json.object("reason", context.reason());
    Changes.each(
        context,
        names,
        name -> {
          Json done = context.change("POST", path(name) + "/" + action, order);
          if (waits) {
            await(context, name, action);
          }
          return done;
        },
        (_, done) -> outcome(action, done, waits));
  }

  private static String path(String name) {
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
      Json first = context.get(path(name));
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
