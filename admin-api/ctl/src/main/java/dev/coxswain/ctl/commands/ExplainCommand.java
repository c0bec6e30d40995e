// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.Ages;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.Surroundings;
import dev.coxswain.ctl.print.Json;
import dev.coxswain.ctl.print.Kinds;
import dev.coxswain.ctl.print.Listing;
import dev.coxswain.ctl.print.Table;
import dev.coxswain.ctl.print.Yaml;
import java.time.Instant;
import java.util.List;

/** {@code explain}: tells why an item is, or is not, being reconciled. */
final class ExplainCommand {

  static final Flag STACK = Flag.alone("--stack", "show the stack trace of the last failure, too");

  private ExplainCommand() {}

  static void run(Call call) {
    List<String> words = call.words(2, "an item: explain CONTROLLER [NAMESPACE/]NAME...");
    // "explain item CONTROLLER NAME" reads better and means the same.
    if (words.size() > 2 && words.getFirst().equals(Kinds.ITEM.singular())) {
      words = words.subList(1, words.size());
    }
    String format = Listing.format(call.arguments());
    String controller = GetCommand.controller(words.getFirst());
    boolean first = true;
    for (String name : words.subList(1, words.size())) {
      Json explanation = call.get(Item.of(call, controller, name).path("explain"));
      Instant now = call.around().clock().instant();
      call.around()
          .print(
              switch (format) {
                case "json" -> explanation.pretty() + "\n";
                case "yaml" -> (first ? "" : "---\n") + Yaml.document(explanation);
                case "name" -> "item/" + Kinds.key(explanation.get("key")) + "\n";
                default -> (first ? "" : "\n") + text(explanation, now) + stack(call, explanation);
              });
      if (format.isEmpty() || format.equals("wide")) {
        // What other replicas know of the same object.
        for (Json copy : explanation.list("copies")) {
          call.around().print("\n" + text(copy, now) + stack(call, copy));
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
                "Item", Kinds.key(explanation.get("key")),
                "Controller", explanation.text("controller"),
                "Replica", explanation.text("replica"),
                "Reason", explanation.text("reason"),
                "Message", explanation.text("message"),
                "Position", position(explanation),
                "Expected start", timed(explanation, "expectedStart", now),
                "Ended at", timed(explanation, "endedAt", now),
                "Ended by", explanation.text("endedBy"),
                "Phase", Kinds.phase(item),
                "Failures", item.text("failures"),
                "Last error", item.text("lastError"),
                "Last error at", timed(item, "lastErrorAt", now),
                "Not before", timed(item, "notBefore", now),
                "Trigger", item.text("trigger"),
                "Priority", item.text("priority"),
                "Revision", item.text("rev")));
    List<Json> conditions = explanation.list("conditions");
    if (!conditions.isEmpty()) {
      text.append("Also:\n");
      conditions.forEach(condition ->
          text.append("  ").append(Surroundings.clean(condition.asText())).append('\n'));
    }
    return text.toString();
  }

  /** Returns the stack trace of the last failure, when it is wanted. */
  private static String stack(Call call, Json explanation) {
    String stack = explanation.get("item").text("lastErrorStack");
    if (!call.arguments().on(STACK) || stack.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder("Stack:\n");
    stack
        .lines()
        .forEach(line ->
            text.append("  ").append(Surroundings.clean(line.replace("\t", "  "))).append('\n'));
    return text.toString();
  }

  private static String position(Json explanation) {
    return explanation.has("position")
        ? explanation.text("position") + " of " + explanation.text("of")
        : "";
  }

  private static String timed(Json object, String field, Instant now) {
    return object.has(field)
        ? object.text(field) + " (" + Ages.relative(object.text(field), now) + ")"
        : "";
  }
}
