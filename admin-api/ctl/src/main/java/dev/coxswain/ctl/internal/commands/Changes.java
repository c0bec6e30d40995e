// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Changes of named objects, one after the other, with a line of output for each. */
final class Changes {

  private static final int IF_MATCH_REQUIRED = 428;

  private Changes() {}

  /**
   * Changes each object; a failure is reported and does not stop the rest. An object that a change
   * leaves as it was is no success.
   *
   * @param things the objects; {@code toString} is the name
   * @param change makes one change and returns the response
   * @param outcome returns the text after the name
   */
  static <T> void each(
      CommandContext context,
      List<T> things,
      Function<T, Json> change,
      BiFunction<T, Json, String> outcome) {
    OutputFormat format = OutputFormat.of(context.arguments());
    int changed = 0;
    int refused = 0;
    for (T thing : things) {
      try {
        Json answer = change.apply(thing);
        context.warnIfPartial(answer);
        if (answer.text("result").equals("skipped")) {
          refused++;
        } else {
          changed++;
        }
        context.print(
            format.shown(
                answer,
                thing.toString(),
                thing + " " + outcome.apply(thing, answer) + "\n" + replicas(answer)));
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

  /**
   * Returns the text after the name of an object: that it was not changed and why, or what was done,
   * with what the host adds to it.
   */
  static String outcome(Json answer, String done) {
    String because = answer.has("detail") ? Console.clean(answer.text("detail")) : "";
    return answer.text("result").equals("skipped")
        ? "not changed" + (because.isEmpty() ? "" : ": " + because)
        : done + (because.isEmpty() ? "" : "; " + because);
  }

  /** Returns a line for each replica, if the change went to several. */
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
   * Makes a change, with the current revision in {@code If-Match} if the host requires it.
   *
   * @param shown the path of the object with the revision
   */
  static Json ofWhatIsThere(
      CommandContext context, String method, String path, Json order, String shown) {
    AdminClient client = context.client();
    try {
      return client.change(method, path, order, CommandContext.once()).body();
    } catch (ProblemException problem) {
      if (problem.status() != IF_MATCH_REQUIRED) {
        throw problem;
      }
      String revision = client.getWithRevision(shown).etag();
      return client.change(method, path, order, Map.of("If-Match", revision)).body();
    }
  }
}
