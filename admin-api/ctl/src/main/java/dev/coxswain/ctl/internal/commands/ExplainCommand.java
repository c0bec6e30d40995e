// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemKey;
import dev.coxswain.ctl.internal.print.AttemptText;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.Printer;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import dev.coxswain.ctl.internal.print.Table;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code explain}: why an item is, or is not, being reconciled; {@code find}: the same of all
 * controllers in short.
 */
final class ExplainCommand {

  static final Flag STACK = Flag.alone("--stack", "also show the stack trace of the last failure");

  static final Flag CONTROLLERS =
      Flag.of("--controller", "NAMES", "only these controllers, comma-separated").withLetter('c');

  private ExplainCommand() {}

  /** Shows what each controller has to report of an object. */
  static void find(CommandContext context) {
    List<String> words = context.words(1, "an object: find [NAMESPACE/]NAME");
    if (words.size() > 1) {
      throw new CommandException(
          "expected one object, found \"%s\" after it; --controller selects controllers"
              .formatted(words.get(1)));
    }
    Printer printer = context.printer(ResourceKinds.CONTROLLER, false, false);
    ItemKey object = ItemKey.of(context, "", words.getFirst());
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("name", object.name());
    if (!object.namespace().isEmpty()) {
      parameters.put("namespace", object.namespace());
    }
    context.arguments().put(parameters, "controller", CONTROLLERS);
    Json list = context.get(AdminClient.path("objects") + AdminClient.query(parameters), printer);
    if (!list.flag("partial")) { // otherwise they are shown with what is missing
      list.list("warnings").forEach(warning -> context.warn(warning.asText()));
    }
    printer.page(list);
    printer.end("No controllers.");
  }

  static void run(CommandContext context) {
    List<String> words = context.words(2, "an item: explain CONTROLLER [NAMESPACE/]NAME...");
    // "explain item CONTROLLER NAME" is accepted as well.
    if (words.size() > 2 && words.getFirst().equals(ResourceKinds.ITEM.singular())) {
      words = words.subList(1, words.size());
    }
    OutputFormat format = OutputFormat.of(context.arguments());
    String controller = GetCommand.controller(words.getFirst());
    boolean first = true;
    for (String name : words.subList(1, words.size())) {
      Json explanation = context.get(ItemKey.of(context, controller, name).path("explain"));
      Instant now = context.now();
      context.print(
          (format.is("yaml") && !first ? "---\n" : "")
              + format.shown(
                  explanation,
                  "item/" + ResourceKinds.key(explanation.get("key")),
                  (first ? "" : "\n") + text(explanation, now) + stack(context, explanation)));
      if (format.isText()) {
        // The same object on other replicas.
        for (Json copy : explanation.list("copies")) {
          context.print("\n" + text(copy, now) + stack(context, copy));
        }
      }
      first = false;
    }
  }

  private static String text(Json explanation, Instant now) {
    Json item = explanation.get("item");
    StringBuilder text =
        new StringBuilder(
            Table.described(
                "Item", ResourceKinds.key(explanation.get("key")),
                "Controller", explanation.text("controller"),
                "Replica", explanation.text("replica"),
                "Slot", slot(explanation.get("slot")),
                "Reason", explanation.text("reason"),
                "Message", explanation.text("message"),
                "Position", position(explanation),
                "Expected start", timed(explanation, "expectedStart", now),
                "Ended at", timed(explanation, "endedAt", now),
                "Ended by", explanation.text("endedBy"),
                "Phase", ResourceKinds.phase(item),
                "Failures", item.text("failures"),
                "Last error", item.text("lastError"),
                "Cause", item.text("cause"),
                "Last error at", timed(item, "lastErrorAt", now),
                "Not before", timed(item, "notBefore", now),
                "Trigger", item.text("trigger"),
                "Priority", item.text("priority"),
                "Revision", item.text("rev")));
    List<Json> conditions = explanation.list("conditions");
    if (!conditions.isEmpty()) {
      text.append("Also:\n");
      conditions.forEach(
          condition -> text.append("  ").append(Console.clean(condition.asText())).append('\n'));
    }
    return text.append(AttemptText.of(explanation, now)).toString();
  }

  /** Returns the stack trace of the last failure, if {@code --stack} is given. */
  private static String stack(CommandContext context, Json explanation) {
    String stack = explanation.get("item").text("lastErrorStack");
    if (!context.arguments().on(STACK) || stack.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder("Stack:\n");
    stack
        .lines()
        .forEach(
            line -> text.append("  ").append(Console.clean(line.replace("\t", "  "))).append('\n'));
    return text.toString();
  }

  /** Returns the slot with its owner and epoch; empty without slots. */
  private static String slot(Json slot) {
    if (!slot.has("slot")) {
      return "";
    }
    String owner = slot.text("owner").isEmpty() ? "no owner" : "owner " + slot.text("owner");
    String target = slot.text("target").isEmpty() ? "" : ", moving to " + slot.text("target");
    return "%s (%s, %s, epoch %s%s)"
        .formatted(slot.text("slot"), slot.text("state"), owner, slot.text("epoch"), target);
  }

  private static String position(Json explanation) {
    return explanation.has("position")
        ? explanation.text("position") + " of " + explanation.text("of")
        : "";
  }

  private static String timed(Json object, String field, Instant now) {
    return object.has(field)
        ? HumanDuration.time(object.text(field))
            + " ("
            + HumanDuration.relative(object.text(field), now)
            + ")"
        : "";
  }
}
