// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.Console;
import dev.coxswain.ctl.cli.ExitCode;
import dev.coxswain.ctl.client.AdminClient;
import dev.coxswain.ctl.client.ProblemException;
import dev.coxswain.ctl.print.Json;
import dev.coxswain.ctl.print.Printer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Changes of things that are named, one after the other, and how each of them is told. */
final class Changes {

  private static final int IF_MATCH_REQUIRED = 428;

  private Changes() {}

  /**
   * Changes each; what cannot be changed is told, and the others are.
   *
   * @param things what to change; their texts are what they are called
   * @param change makes one change and returns the answer
   * @param told what became of it, in the words that follow its name
   */
  static <T> void each(
      CommandContext context,
      List<T> things,
      Function<T, Json> change,
      BiFunction<T, Json, String> told) {
    String format = Printer.format(context.arguments());
    int changed = 0;
    int refused = 0;
    for (T thing : things) {
      try {
        Json answer = change.apply(thing);
        context.warnIfPartial(answer);
        changed++;
        context.print(
            Printer.formatted(
                format,
                answer,
                thing.toString(),
                thing + " " + told.apply(thing, answer) + "\n" + replicas(answer)));
      } catch (ProblemException problem) {
        if (things.size() == 1) {
          throw problem;
        }
        refused++;
        context.console().printError(thing + ": " + problem.getMessage());
      }
    }
    if (refused > 0) {
      context.addExitCode(changed > 0 ? ExitCode.PARTIAL : ExitCode.ERROR);
    }
  }

  /** Returns a line for each replica that was asked, when they were several. */
  private static String replicas(Json answer) {
    List<Json> results = answer.list("results");
    if (results.size() < 2) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (Json result : results) {
      text.append("  replica ")
          .append(Console.clean(result.text("replica")))
          .append(": ")
          .append(Console.clean(result.text("state")))
          .append('\n');
    }
    return text.toString();
  }

  /**
   * Makes a change; to a host that wants to know which revision is meant it tells the one of now.
   *
   * @param shown where the revision is shown
   */
  static Json ofWhatIsThere(
      CommandContext context, String method, String path, Json order, String shown) {
    AdminClient client = context.client();
    try {
      return client.change(method, path, order, once()).body();
    } catch (ProblemException problem) {
      if (problem.status() != IF_MATCH_REQUIRED) {
        throw problem;
      }
      String revision = client.getWithRevision(shown).etag();
      return client.change(method, path, order, Map.of("If-Match", revision)).body();
    }
  }

  /**
   * Returns a key of its own for a change, so that nothing between here and the replica makes it
   * twice.
   */
  static Map<String, String> once() {
    return Map.of("Idempotency-Key", UUID.randomUUID().toString());
  }
}
