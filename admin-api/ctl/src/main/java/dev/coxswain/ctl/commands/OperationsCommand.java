// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.cli.ExitCode;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.Surroundings;
import dev.coxswain.ctl.client.AdminClient;
import dev.coxswain.ctl.client.Connections;
import dev.coxswain.ctl.print.Json;
import dev.coxswain.ctl.print.Kinds;
import dev.coxswain.ctl.print.Listing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * {@code operations}: changes of many items that run, or have run; {@code stop} and {@code wait}.
 */
final class OperationsCommand {

  static final Flag WAIT = Flag.alone("--wait", "wait for the end (unless --wait=false)");
  static final Flag TIMEOUT =
      Flag.of(
          "--timeout", "DURATION", "wait no longer than that, such as 5m; the operation goes on");

  private static final Duration POLL = Duration.ofMillis(300);
  private static final Duration NO_LIMIT = Duration.ofDays(365);

  private OperationsCommand() {}

  static void run(Call call) {
    List<String> words = call.words(0, "");
    String first = words.isEmpty() ? "get" : words.getFirst();
    switch (first) {
      case "stop" -> stop(call, ids(call, first));
      case "wait" -> {
        String format = Listing.format(call.arguments());
        for (String id : ids(call, first)) {
          end(call, awaited(call, call.get(AdminClient.path("operations", id))), format);
        }
      }
      case "get" ->
          GetCommand.of(
              call, Kinds.OPERATION, words.isEmpty() ? words : words.subList(1, words.size()));
      default -> GetCommand.of(call, Kinds.OPERATION, words);
    }
  }

  private static List<String> ids(Call call, String verb) {
    return call.words(2, "operations: operations " + verb + " ID...").stream()
        .skip(1)
        .map(id -> id.startsWith("operation/") ? id.substring("operation/".length()) : id)
        .toList();
  }

  private static void stop(Call call, List<String> ids) {
    String format = Listing.format(call.arguments());
    Json order = Json.object("reason", call.reason());
    for (String id : ids) {
      Json operation =
          call.client()
              .change("DELETE", AdminClient.path("operations", id), order, Changes.once())
              .body();
      call.note(operation);
      call.around()
          .print(
              BulkActions.shown(
                  format,
                  operation,
                  "operation/%s %s after %s of %s items%n"
                      .formatted(
                          id,
                          operation.text("state").equals("Cancelled")
                              ? "stopped"
                              : "had ended (" + operation.text("state") + ")",
                          operation.text("done"),
                          operation.text("matched"))));
    }
  }

  /** Returns whether a change of many waits for its end. */
  static boolean waits(Arguments arguments) {
    return arguments.value(WAIT, "true").equals("true");
  }

  /** Waits until an operation has ended, and returns it as it is then. */
  static Json awaited(Call call, Json begun) {
    Surroundings around = call.around();
    Instant deadline =
        around.clock().instant().plus(Connections.duration(call.arguments(), TIMEOUT, NO_LIMIT));
    String path = AdminClient.path("operations", begun.text("id"));
    Json operation = begun;
    boolean progress = false;
    while (operation.text("state").equals("Running")) {
      if (around.interactive()) {
        around
            .err()
            .print("\r" + operation.text("done") + " of " + operation.text("matched") + " ");
        around.err().flush();
        progress = true;
      }
      if (around.clock().instant().isAfter(deadline)) {
        around.err().print(progress ? "\n" : "");
        throw new CtlException(
            "operation/%s goes on after %s of %s items; see: operations wait %s"
                .formatted(
                    begun.text("id"),
                    operation.text("done"),
                    operation.text("matched"),
                    begun.text("id")));
      }
      around.waitFor(POLL);
      operation = call.client().get(path);
    }
    around.err().print(progress ? "\r" : "");
    return operation;
  }

  /** Shows how an operation has ended, which is the exit code as well. */
  static void end(Call call, Json operation, String format) {
    call.note(operation);
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
            .append(result.has("cause") ? ": " + Surroundings.clean(result.text("cause")) : "")
            .append('\n');
      }
    }
    if (operation.number("relisted") > 0) {
      text.append("  ").append(operation.number("relisted")).append(" added again\n");
    }
    if (operation.number("notRelisted") > 0) {
      text.append("  ")
          .append(operation.number("notRelisted"))
          .append(" not added again, since their object is not known\n");
    }
    for (Json part : operation.list("parts")) {
      if (!part.text("state").equals("Succeeded")) {
        call.around()
            .warn(
                "replica "
                    + part.text("replica")
                    + ": "
                    + part.text("state")
                    + (part.has("detail") ? ", " + part.text("detail") : ""));
      }
    }
    if (operation.has("detail")) {
      call.around().warn(operation.text("detail"));
    }
    call.around().print(BulkActions.shown(format, operation, text.toString()));
    call.went(
        switch (operation.text("state")) {
          case "Succeeded" -> ExitCode.OK;
          case "PartiallySucceeded", "Cancelled" -> ExitCode.PARTIAL;
          default -> ExitCode.ERROR;
        });
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
