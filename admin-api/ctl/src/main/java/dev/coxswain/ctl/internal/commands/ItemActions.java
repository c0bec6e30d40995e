// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemKey;
import dev.coxswain.ctl.internal.context.ItemSelector;
import dev.coxswain.ctl.internal.print.Colors;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import dev.coxswain.ctl.internal.print.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Changes of named items: {@code retry}, {@code forget}, {@code requeue}, {@code drop}, {@code
 * enqueue}.
 */
final class ItemActions {

  static final Flag DRY_RUN = Flag.alone("--dry-run", "show the effect without changing anything");
  static final Flag DELAY = Flag.of("--delay", "DURATION", "time until it is due, such as 10m");
  static final Flag RESCHEDULE =
      Flag.alone("--reschedule", "also make it due now, if it waits for its next attempt");

  private ItemActions() {}

  /**
   * A change of one item.
   *
   * @param verb of the command
   * @param done its participle, for messages
   * @param method of the request
   * @param body the fields besides the reason
   */
  private record Action(
      String verb, String done, String method, Function<CommandContext, Json> body) {}

  static void retry(CommandContext context) {
    run(context, new Action("retry", "retried", "POST", _ -> Json.object()));
  }

  static void forget(CommandContext context) {
    run(
        context,
        new Action(
            "forget",
            "forgotten",
            "POST",
            one -> Json.object("reschedule", one.arguments().on(RESCHEDULE) ? true : null)));
  }

  static void requeue(CommandContext context) {
    run(
        context,
        new Action("requeue", "requeued", "POST", one -> Json.object("delay", delay(one))));
  }

  static void drop(CommandContext context) {
    run(context, new Action("drop", "dropped", "DELETE", _ -> Json.object()));
  }

  static void enqueue(CommandContext context) {
    List<ItemKey> items = items(context, "enqueue");
    Duration delay = context.arguments().duration(DELAY, Duration.ZERO);
    if (context.arguments().on(DRY_RUN)) {
      // Any name can be added, if the controller exists.
      Json controller =
          context.client().get(AdminClient.path("controllers", items.getFirst().controller()));
      wouldBe(context, items, _ -> controller, "enqueued");
      return;
    }
    String reason = context.reason();
    Changes.each(
        context,
        items,
        item ->
            context.change(
                "POST",
                AdminClient.path("controllers", item.controller(), "items"),
                Json.object(
                    "namespace",
                    item.namespace(),
                    "name",
                    item.name(),
                    "delay",
                    delay.isZero() ? null : context.arguments().value(DELAY),
                    "reason",
                    reason)),
        (_, result) -> outcome(result, "enqueued"));
  }

  /** Returns the delay, which is required. */
  static String delay(CommandContext context) {
    if (!context.arguments().has(DELAY)) {
      throw new CommandException("requeue needs --delay: the time until it is due, such as 10m");
    }
    context.arguments().duration(DELAY, Duration.ZERO); // validates
    return context.arguments().value(DELAY, "");
  }

  private static void run(CommandContext context, Action action) {
    if (context.arguments().words().size() == 1 && !action.method().equals("DELETE")) {
      BulkActions.run(context, action.verb(), context.arguments().words().getFirst());
      return;
    }
    refuseSelection(context.arguments());
    List<ItemKey> items = items(context, action.verb());
    Json body = action.body().apply(context);
    boolean dryRun = context.arguments().on(DRY_RUN);
    if (action.method().equals("DELETE")) {
      Map<ItemKey, Json> found = look(context, items);
      preview(context, found);
      if (dryRun) {
        wouldBe(context, items, item -> Objects.requireNonNull(found.get(item)), action.done());
        return;
      }
      context.confirm(
          "Drop %s of controller %s at %s?"
              .formatted(
                  items.size() == 1 ? "this item" : "these " + items.size() + " items",
                  items.getFirst().controller(),
                  context.client().address()));
    } else if (dryRun) {
      wouldBe(context, items, item -> context.client().get(item.path()), action.done());
      return;
    }
    Json order = body.with("reason", context.reason());
    Changes.each(
        context,
        items,
        item -> change(context, action, item, order),
        (_, result) -> outcome(result, action.done()));
  }

  /** Refuses flags that select items, because items are named. */
  private static void refuseSelection(Arguments arguments) {
    List<Flag> others = new ArrayList<>(ItemSelector.FLAGS);
    others.addAll(BulkActions.ONLY_MANY);
    others.remove(ItemSelector.NAMESPACE);
    for (Flag flag : others) {
      if (arguments.has(flag)) {
        throw new CommandException("give either names of items or " + flag.name());
      }
    }
  }

  private static List<ItemKey> items(CommandContext context, String verb) {
    List<String> words = context.words(2, "items: " + verb + " CONTROLLER [NAMESPACE/]NAME...");
    String controller = GetCommand.controller(words.getFirst());
    return words.stream().skip(1).map(name -> ItemKey.of(context, controller, name)).toList();
  }

  /** Prints the effect of a change, with the same errors for missing items. */
  private static void wouldBe(
      CommandContext context, List<ItemKey> items, Function<ItemKey, Json> look, String done) {
    Changes.each(context, items, look, (_, _) -> done + " (dry run)");
  }

  private static Map<ItemKey, Json> look(CommandContext context, List<ItemKey> items) {
    Map<ItemKey, Json> found = new LinkedHashMap<>();
    items.forEach(item -> found.put(item, context.get(item.path())));
    return found;
  }

  /** Shows the items to be dropped on the standard error. */
  private static void preview(CommandContext context, Map<ItemKey, Json> found) {
    Table table =
        new Table(
            List.of("ITEM", "PHASE", "FAILURES", "LAST ERROR"),
            true,
            Colors.of(context.arguments(), context.console()));
    found.forEach((item, shown) ->
        table.row(
            List.of(
                item.namespace() + "/" + item.name(),
                ResourceKinds.phase(shown),
                shown.text("failures"),
                shown.text("lastError"))));
    context.console().err().print(table.take());
  }

  private static Json change(CommandContext context, Action action, ItemKey item, Json order) {
    String path = action.method().equals("DELETE") ? item.path() : item.path(action.verb());
    return Changes.ofWhatIsThere(context, action.method(), path, order, item.path());
  }

  private static String outcome(Json result, String done) {
    return switch (result.text("result")) {
      case "skipped" -> "not changed" + because(result);
      case "partial" -> done + " on some replicas only" + because(result);
      case "unknown" -> "may have been " + done + because(result);
      default -> done;
    };
  }

  private static String because(Json result) {
    return result.has("detail") ? ": " + Console.clean(result.text("detail")) : "";
  }
}
