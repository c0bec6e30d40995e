// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemSelector;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.Table;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bulk changes of all items that match a selector. The server counts them in a dry run; after
 * confirmation exactly these items are changed.
 */
final class BulkActions {

  static final Flag ALL =
      Flag.alone("--all", "all items of the namespace, or with -A of all namespaces");
  static final Flag MAX_AFFECTED =
      Flag.of("--max-affected", "N", "change nothing if more than N items match");
  static final Flag PACE =
      Flag.of(
          "--items-per-second", "N", "the rate of the change; slower leaves more time to stop it");
  static final Flag SPREAD_OVER =
      Flag.of(
          "--spread-over",
          "DURATION",
          "items become due spread over this time, such as 30s; default 30s for 1000 items of each"
              + " replica");
  static final Flag THEN =
      Flag.of(
              "--then",
              "WHAT",
              "relist (default): add existing objects again; requeueAfter=10m: add all again"
                  + " later; none")
          .withChoices(List.of("relist", "none", "requeueAfter="));
  static final Flag KEEP_FAILURES =
      Flag.alone("--keep-failures", "keep the failures and their last error");
  static final Flag DROP_DIRTY =
      Flag.alone("--drop-dirty", "also drop pending requests of items in flight");

  static final List<Flag> FLAGS =
      List.of(
          ALL,
          MAX_AFFECTED,
          PACE,
          ItemActions.DRY_RUN,
          CommandContext.YES,
          OperationsCommand.WAIT,
          OperationsCommand.TIMEOUT);

  /** The flags that do not apply to named items. */
  static final List<Flag> ONLY_MANY =
      List.of(
          ALL, MAX_AFFECTED, PACE, SPREAD_OVER, OperationsCommand.WAIT, OperationsCommand.TIMEOUT);

  private static final int MOST = 100_000;

  /** The flags that apply to some actions only. */
  private static final Map<Flag, Set<String>> ONLY_OF =
      Map.of(
          SPREAD_OVER,
          Set.of("retry", "flush"),
          THEN,
          Set.of("flush"),
          KEEP_FAILURES,
          Set.of("flush"),
          DROP_DIRTY,
          Set.of("flush"),
          ItemActions.DELAY,
          Set.of("requeue"));

  private BulkActions() {}

  static void flush(CommandContext context) {
    List<String> words = context.words(1, "a controller: flush CONTROLLER");
    if (words.size() > 1) {
      throw new CommandException(
          "flush needs a controller and flags that select items; remove single items with"
              + " drop");
    }
    run(context, "flush", words.getFirst());
  }

  /** Changes all items of a controller that the flags select. */
  static void run(CommandContext context, String action, String controllerWord) {
    String controller = GetCommand.controller(controllerWord);
    OutputFormat format = OutputFormat.of(context.arguments());
    Json order = order(context, action);
    String path = AdminClient.path("controllers", controller, "operations");
    Json preview =
        context.client().change("POST", path, order.with("dryRun", true), Map.of()).body();
    context.warnIfPartial(preview);
    long matched = preview.number("matched");
    boolean dryRun = context.arguments().on(ItemActions.DRY_RUN);
    if (matched == 0 && (format.is("") || !dryRun)) {
      context.console().err().println(new ItemSelector(context).nothing(controller));
      if (!dryRun) {
        context.addExitCode(ExitCode.ERROR); // nothing was changed
      }
      return;
    }
    if (dryRun) {
      context.print(shown(format, preview, previewed(preview)));
      return;
    }
    context.console().err().print(previewed(preview));
    context.confirm(
        "%s %d %s of controller %s at %s?"
            .formatted(
                capital(action),
                matched,
                matched == 1 ? "item" : "items",
                controller,
                context.client().address()));
    Json confirmed =
        order.with("confirmToken", preview.text("confirmToken")).with("reason", context.reason());
    Json operation = context.change("POST", path, confirmed);
    if (!OperationsCommand.waits(context.arguments())) {
      context.print(
          shown(
              format,
              operation,
              "operation/%s has begun to %s %d items of controller %s%s%n"
                  .formatted(
                      operation.text("id"),
                      action,
                      matched,
                      controller,
                      operation.has("expectedEnd")
                          ? "; the last is due at " + OperationsCommand.ends(context, operation)
                          : "")));
      return;
    }
    OperationsCommand.end(context, OperationsCommand.awaited(context, operation), format);
  }

  private static Json order(CommandContext context, String action) {
    Arguments arguments = context.arguments();
    ItemSelector selection = new ItemSelector(context);
    boolean all = arguments.on(ALL);
    if (all == selection.narrows()) {
      throw new CommandException(
          all
              ? "give either --all or flags that select items"
              : "no items selected: give flags that select items (see "
                  + action
                  + " --help),"
                  + " or --all");
    }
    ONLY_OF.forEach((flag, actions) -> {
      if (arguments.has(flag) && !actions.contains(action)) {
        throw new CommandException(flag.name() + " is not for " + action);
      }
    });
    if (action.equals("requeue")) {
      ItemActions.delay(context);
    } else if (arguments.has(ItemActions.RESCHEDULE)) {
      throw new CommandException(
          "--reschedule is for named items; use retry to make many items due");
    }
    arguments.duration(SPREAD_OVER, Duration.ZERO); // validates
    return Json.object(
        "action",
        action,
        "selector",
        selection.selector(),
        "all",
        (all && selection.selector().names().isEmpty()) ? true : null,
        "maxAffected",
        number(arguments, MAX_AFFECTED, MOST),
        "itemsPerSecond",
        number(arguments, PACE, MOST),
        "spreadOver",
        arguments.value(SPREAD_OVER),
        "then",
        arguments.value(THEN),
        "delay",
        arguments.value(ItemActions.DELAY),
        "keepFailures",
        arguments.on(KEEP_FAILURES) ? true : null,
        "dropDirty",
        arguments.on(DROP_DIRTY) ? true : null);
  }

  private static @Nullable Long number(Arguments arguments, Flag flag, long most) {
    return arguments.has(flag) ? Long.valueOf(arguments.number(flag, 0, 1, most)) : null;
  }

  static String shown(OutputFormat format, Json object, String text) {
    return format.shown(object, "operation/" + object.text("id"), text);
  }

  private static String previewed(Json preview) {
    Json byReplica = preview.get("byReplica");
    StringBuilder text =
        new StringBuilder(
            Table.described(
                capital(preview.text("action")),
                preview.text("matched") + " items of controller " + preview.text("controller"),
                "By phase",
                counts(preview.get("byPhase")),
                "By namespace",
                counts(preview.get("byNamespace")),
                "By replica",
                byReplica.names().size() > 1 ? counts(byReplica) : "",
                "Such as",
                String.join(", ", preview.list("sample").stream().map(Json::asText).toList()),
                "Then",
                then(preview),
                "Pace",
                preview.text("itemsPerSecond") + " items per second"));
    for (Json warning : preview.list("warnings")) {
      text.append("Warning: ").append(Console.clean(warning.asText())).append('\n');
    }
    return text.toString();
  }

  private static String then(Json preview) {
    String then = preview.text("then");
    return !preview.has("willRelist")
        ? then
        : "%s: %s are added again, %s are not"
            .formatted(then, preview.text("willRelist"), preview.text("notRelisted"));
  }

  private static String counts(Json byName) {
    return String.join(
        ", ",
        byName.names().stream()
            .filter(name -> byName.number(name) > 0)
            .map(name -> (name.isEmpty() ? "(none)" : name) + " " + byName.text(name))
            .toList());
  }

  private static String capital(String word) {
    return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
  }
}
