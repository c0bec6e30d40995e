// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemSelector;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.watch.ItemReader;
import java.util.List;
import java.util.Map;

/** {@code dump}: all items of controllers as lines of JSON, printed a page at a time. */
final class DumpCommand {

  /** Like {@link ItemSelector#NAMESPACE}, with all namespaces as the default. */
  private static final Flag NAMESPACE =
      Flag.of(ItemSelector.NAMESPACE.name(), "NAME", "namespace of the items (default: all)")
          .withLetter(ItemSelector.NAMESPACE.letter());

  static final List<Flag> FLAGS =
      ItemSelector.FLAGS.stream()
          .map(flag -> flag.equals(ItemSelector.NAMESPACE) ? NAMESPACE : flag)
          .toList();

  private DumpCommand() {}

  static void run(CommandContext context) {
    ItemSelector selection = dumped(context);
    for (String controller : controllers(context)) {
      dump(context, controller, selection.parameters());
    }
  }

  private static List<String> controllers(CommandContext context) {
    List<String> words = context.arguments().words();
    return words.isEmpty()
        ? context.get(AdminClient.path("controllers")).list("items").stream()
            .filter(controller -> controller.has("counts"))
            .map(controller -> controller.text("name"))
            .toList()
        : words.stream().map(GetCommand::controller).toList();
  }

  /** Returns the selector, with all namespaces as the default. */
  private static ItemSelector dumped(CommandContext context) {
    return context.arguments().has(ItemSelector.NAMESPACE)
        ? new ItemSelector(context)
        : ItemSelector.ofAllNamespaces(context);
  }

  private static void dump(CommandContext context, String controller, Map<String, String> query) {
    Json head = Json.object("kind", "Item", "controller", controller);
    String path = AdminClient.path("controllers", controller, "items");
    try {
      ItemReader.ofList(context, path, query, () -> "application/json")
          .read(page -> {
            page.list("items").forEach(item -> context.print(head.with(item) + "\n"));
            context.console().deliver();
          });
    } catch (ProblemException | CommandException e) {
      if (!query.containsKey("continue")) {
        throw e; // nothing was printed
      }
      context.warn(
          "the dump of controller " + controller + " is incomplete: " + CommandException.reason(e));
      context.addExitCode(ExitCode.PARTIAL);
    }
  }
}
