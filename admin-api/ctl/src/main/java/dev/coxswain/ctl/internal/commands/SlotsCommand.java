// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.cli.CommandException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.util.List;

/** {@code slots}: shows the slots, and deletes a slot map that replicas do not accept. */
final class SlotsCommand {

  static final Flag FORCE =
      Flag.alone("--force", "reset: also if the replica accepts the slot map");

  private static final String PATH = AdminClient.path("slots");

  private SlotsCommand() {}

  static void run(CommandContext context) {
    List<String> words = context.arguments().words();
    if (words.isEmpty() || !words.getFirst().equals("reset")) {
      List<String> names = !words.isEmpty() && words.getFirst().equals("get") ? rest(words) : words;
      if (context.arguments().on(FORCE)) {
        throw new CommandException("--force is for slots reset");
      }
      GetCommand.of(context, ResourceKinds.SLOT, names);
      return;
    }
    if (words.size() > 1) {
      throw new CommandException("slots reset takes no names: the slot map is reset as a whole");
    }
    boolean rejected = false;
    for (Json share : context.get(PATH).list("shares")) {
      if (share.has("problem")) {
        rejected = true;
        context.console().note(share.text("replica") + ": " + share.text("problem"));
      }
    }
    if (!rejected) {
      context.console().note("no replica reports a problem of the slot map");
    }
    context.confirm(
        "The slot map is deleted and made again; all slots are closed for some seconds. Continue?");
    Json order =
        Json.object(
            "reason", context.reason(), "force", context.arguments().on(FORCE) ? true : null);
    Changes.each(
        context, List.of("slots"), _ -> context.change("DELETE", PATH, order), (_, _) -> "reset");
  }

  private static List<String> rest(List<String> words) {
    return words.subList(1, words.size());
  }
}
