// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** {@code operations}: running and ended bulk changes; {@code stop} and {@code wait}. */
final class OperationsCommand {

  static final Flag WAIT = Flag.alone("--wait", "wait for the end (default; --wait=false: do not)");
  static final Flag TIMEOUT =
      Flag.of("--timeout", "DURATION", "longest wait, such as 5m; the operation continues");

  private static final Duration POLL = Duration.ofMillis(300);
  private static final Duration NO_LIMIT = Duration.ofDays(365);

  private OperationsCommand() {}

  static void run(CommandContext context) {
    List<String> words = context.arguments().words();
    switch (words.isEmpty() ? "" : words.getFirst()) {
      case "stop" -> stop(context, ids(context, "stop"));
      case "wait" -> {
        OutputFormat format = OutputFormat.of(context.arguments());
        for (String id : ids(context, "wait")) {
          end(context, awaited(context, context.get(AdminClient.path("operations", id))), format);
        }
      }
      case "get" -> GetCommand.of(context, ResourceKinds.OPERATION, words.subList(1, words.size()));
      default -> GetCommand.of(context, ResourceKinds.OPERATION, words);
    }
  }

  private static List<String> ids(CommandContext context, String verb) {
    return context.names(ResourceKinds.OPERATION, 1, "operations " + verb + " ID...").stream()
        .map(ResourceKinds.OPERATION::bareName)
        .toList();
  }

  private static void stop(CommandContext context, List<String> ids) {
    Json order = Json.object("reason", context.reason());
    Changes.each(
        context,
        ids.stream().map(id -> "operation/" + id).toList(),
        name ->
            context.change(
                "DELETE",
                AdminClient.path("operations", ResourceKinds.OPERATION.bareName(name)),
                order),
        (_, operation) ->
            "%s after %s of %s items"
                .formatted(
                    operation.text("result").equals("skipped")
                        ? "not changed: it had ended (" + operation.text("state") + ")"
                        : "stopped",
                    operation.text("done"),
                    operation.text("matched")));
  }

  /** Returns whether the command waits for the end of a bulk change. */
  static boolean waits(Arguments arguments) {
    return arguments.value(WAIT, "true").equals("true");
  }

  /** Waits for the end of an operation, and returns its final state. */
  static Json awaited(CommandContext context, Json begun) {
    Console console = context.console();
    Instant deadline =
        console.clock().instant().plus(context.arguments().duration(TIMEOUT, NO_LIMIT));
    String path = AdminClient.path("operations", begun.text("id"));
    Json operation = begun;
    boolean progress = false;
    while (operation.text("state").equals("Running")) {
      if (console.interactive()) {
        String end = ResourceKinds.expectedEnd(operation, context.now());
        console
            .err()
            .print(
                "\r%s of %s%s "
                    .formatted(
                        operation.text("done"),
                        operation.text("matched"),
                        end.isEmpty() ? "" : ", ends " + end + "   "));
        console.err().flush();
        progress = true;
      }
      if (console.clock().instant().isAfter(deadline)) {
        console.err().print(progress ? "\n" : "");
        throw new CommandException(
            "operation/%s continues after %s of %s items; to wait: operations wait %s"
                .formatted(
                    begun.text("id"),
                    operation.text("done"),
                    operation.text("matched"),
                    begun.text("id")));
      }
      console.waitFor(POLL);
      operation = context.client().get(path);
    }
    console.err().print(progress ? "\r" : "");
    return operation;
  }

  /** Shows the result of an operation, and sets the exit code by it. */
  static void end(CommandContext context, Json operation, OutputFormat format) {
    context.warnIfPartial(operation);
    StringBuilder text =
        new StringBuilder(
            "operation/%s %s: %s of %s items %s%n"
                .formatted(
                    operation.text("id"),
                    operation.text("state"),
                    operation.text("applied"),
                    operation.text("matched"),
                    done(operation.text("action"))));
    for (Json result : operation.list("byResult")) {
      if (!result.text("result").equals("applied")) {
        text.append("  ")
            .append(result.text("count"))
            .append(' ')
            .append(result.text("result"))
            .append(result.has("cause") ? ": " + Console.clean(result.text("cause")) : "")
            .append('\n');
      }
    }
    if (operation.has("expectedEnd")) {
      text.append("  the last is due at ").append(ends(context, operation)).append('\n');
    }
    if (operation.number("relisted") > 0) {
      text.append("  ").append(operation.number("relisted")).append(" added again\n");
    }
    if (operation.number("notRelisted") > 0) {
      text.append("  ")
          .append(operation.number("notRelisted"))
          .append(" not added again: no such object\n");
    }
    for (Json part : operation.list("parts")) {
      if (!part.text("state").equals("Succeeded")) {
        context.warn(
            "replica %s: %s%s"
                .formatted(
                    part.text("replica"),
                    part.text("state"),
                    part.has("detail") ? ", " + part.text("detail") : ""));
      }
    }
    if (operation.has("detail")) {
      context.warn(operation.text("detail"));
    }
    context.print(BulkActions.shown(format, operation, text.toString()));
    context.addExitCode(
        switch (operation.text("state")) {
          case "Succeeded" -> ExitCode.OK;
          case "PartiallySucceeded", "Cancelled" -> ExitCode.PARTIAL;
          default -> ExitCode.ERROR;
        });
  }

  /** Returns when the last item is expected to be due, as a time and from now. */
  static String ends(CommandContext context, Json operation) {
    return "%s (%s)"
        .formatted(
            Console.clean(HumanDuration.time(operation.text("expectedEnd"))),
            ResourceKinds.expectedEnd(operation, context.now()));
  }

  private static String done(String action) {
    return switch (action) {
      case "flush" -> "flushed";
      case "retry" -> "retried";
      case "forget" -> "forgotten";
      default -> "requeued";
    };
  }
}
