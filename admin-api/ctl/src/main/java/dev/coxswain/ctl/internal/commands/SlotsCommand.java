// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * {@code slots}: shows the slots, and deletes a slot map that replicas do not accept. {@code drain}:
 * moves the slots of replicas to the others, and waits until they have moved.
 */
final class SlotsCommand {

  static final Flag RESET_FORCE =
      Flag.alone("--force", "reset: also if the replica accepts the slot map");

  static final Flag UNDO = Flag.alone("--undo", "let the replica have slots again");
  static final Flag FORCE =
      Flag.alone("--force", "also if no other replica can take the slots now");
  static final Flag WAIT =
      Flag.alone("--wait", "wait until no slot is left (default; --wait=false: do not)");
  static final Flag TIMEOUT =
      Flag.of("--timeout", "DURATION", "longest wait, such as 5m; the drain continues");

  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration NO_LIMIT = Duration.ofDays(365);

  private static final String PATH = AdminClient.path("slots");

  private SlotsCommand() {}

  static void run(CommandContext context) {
    List<String> words = context.arguments().words();
    if (words.isEmpty() || !words.getFirst().equals("reset")) {
      List<String> names = !words.isEmpty() && words.getFirst().equals("get") ? rest(words) : words;
      if (context.arguments().on(RESET_FORCE)) {
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
        context.console().note(Console.clean(share.text("replica") + ": " + share.text("problem")));
      }
    }
    if (!rejected) {
      context.console().note("no replica reports a problem of the slot map");
    }
    context.confirm(
        "The slot map is deleted and made again; all slots are closed for some seconds. Continue?");
    Json order =
        Json.object(
            "reason", context.reason(), "force", context.arguments().on(RESET_FORCE) ? true : null);
    Changes.each(
        context, List.of("slots"), _ -> context.change("DELETE", PATH, order), (_, _) -> "reset");
  }

  private static List<String> rest(List<String> words) {
    return words.subList(1, words.size());
  }

  static void drain(CommandContext context) {
    List<String> names = context.names(ResourceKinds.REPLICA, 0, "drain REPLICA...");
    Arguments arguments = context.arguments();
    arguments.duration(TIMEOUT, NO_LIMIT); // validates before any request
    boolean undo = arguments.on(UNDO);
    if (undo && arguments.on(FORCE)) {
      throw new CommandException("give either --undo or --force");
    }
    boolean waits = !undo && arguments.value(WAIT, "true").equals("true");
    Json order =
        Json.object("reason", context.reason(), "force", arguments.on(FORCE) ? true : null);
    Changes.each(
        context,
        names,
        name -> {
          Json done = context.change(undo ? "DELETE" : "POST", path(name), order);
          long left = done.number("slots");
          if (waits) {
            await(context, name, left);
          }
          // One that was drained before, and had slots left, is drained now: it was waited for.
          return waits && left > 0 ? done.with("result", "applied") : done;
        },
        (_, done) -> outcome(done, undo, waits));
  }

  private static String path(String name) {
    return AdminClient.path("replicas", ResourceKinds.REPLICA.bareName(name), "drain");
  }

  private static String outcome(Json done, boolean undo, boolean waits) {
    boolean skipped = done.text("result").equals("skipped");
    if (undo) {
      return skipped ? "is not drained" : "may have slots again";
    }
    if (skipped) {
      return "is drained already" + (waits ? "" : ", " + left(done.number("slots")));
    }
    return waits ? "drained" : "draining, " + left(done.number("slots"));
  }

  private static String left(long slots) {
    return slots == 1 ? "1 slot left" : slots + " slots left";
  }

  /** Waits until a replica owns no slot; prints how many are left whenever that has changed. */
  private static void await(CommandContext context, String name, long before) {
    Console console = context.console();
    Instant deadline =
        console.clock().instant().plus(context.arguments().duration(TIMEOUT, NO_LIMIT));
    long shown = -1;
    long left = before;
    while (left > 0) {
      if (left != shown) {
        console.note(name + " draining, " + left(left));
        shown = left;
      }
      if (console.clock().instant().isAfter(deadline)) {
        throw new CommandException(
            "%s has %s; the drain continues; to wait: drain %s"
                .formatted(name, left(left), ResourceKinds.REPLICA.bareName(name)));
      }
      console.waitFor(POLL);
      left = slots(context, name);
    }
  }

  /**
   * Returns the number of slots that a replica owns; 0 when it has left.
   *
   * @throws CommandException when it is not drained any more: its slots would never be gone
   */
  private static long slots(CommandContext context, String name) {
    for (Json replica : context.client().get(AdminClient.path("replicas")).list("items")) {
      if (!replica.text("replica").equals(ResourceKinds.REPLICA.bareName(name))) {
        continue;
      }
      if (replica.has("drained") && !replica.flag("drained") && !replica.flag("leaving")) {
        throw new CommandException(
            name + " may have slots again: the drain was undone, or it has restarted");
      }
      return replica.number("slots");
    }
    return 0;
  }
}
