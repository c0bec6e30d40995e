// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.cli.ExitCode;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.Surroundings;
import dev.coxswain.ctl.client.AdminClient;
import dev.coxswain.ctl.print.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code dump}: all items of controllers as lines of JSON. What arrives is passed on at once; only
 * its end is kept, since the last line tells whether the dump is whole.
 */
final class DumpCommand {

  /** As {@link Selection#NAMESPACE}, but without it all are meant. */
  private static final Flag NAMESPACE =
      Flag.of(Selection.NAMESPACE.name(), "NAME", "namespace of the items; all unless given")
          .withLetter(Selection.NAMESPACE.letter());

  static final List<Flag> FLAGS =
      Selection.FLAGS.stream()
          .map(flag -> flag.equals(Selection.NAMESPACE) ? NAMESPACE : flag)
          .toList();

  private static final int CHUNK = 64 * 1024;
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private DumpCommand() {}

  static void run(Call call) {
    String query = AdminClient.query(dumped(call).parameters());
    for (String controller : controllers(call)) {
      stream(call, controller, AdminClient.path("controllers", controller, "items") + query);
    }
  }

  private static List<String> controllers(Call call) {
    List<String> words = call.arguments().words();
    return words.isEmpty()
        ? call.get(AdminClient.path("controllers")).list("items").stream()
            .filter(controller -> controller.has("counts"))
            .map(controller -> controller.text("name"))
            .toList()
        : words.stream().map(GetCommand::controller).toList();
  }

  private static void stream(Call call, String controller, String path) {
    try (InputStream in = call.client().open(path, "application/x-ndjson", Map.of(), SILENCE)) {
      Json trailer = copy(in, call.around());
      if (!trailer.text("kind").equals("Trailer")) {
        incomplete(call, controller, "was cut short");
      } else if (!trailer.flag("complete")) {
        incomplete(call, controller, "is not complete" + missing(trailer));
      }
    } catch (IOException e) {
      String why = CtlException.reason(e);
      incomplete(call, controller, "was cut short" + (why.isEmpty() ? "" : ": " + why));
    }
  }

  /** Tells what is missing of which replica. */
  private static String missing(Json trailer) {
    return trailer.list("replicas").stream()
        .filter(part -> !part.flag("complete"))
        .map(part ->
            "; replica "
                + part.text("replica")
                + " gave "
                + part.text("count")
                + " items: "
                + part.text("error"))
        .collect(Collectors.joining());
  }

  /** Without a namespace everything is meant, unlike in a list. */
  private static Selection dumped(Call call) {
    return call.arguments().has(Selection.NAMESPACE)
        ? new Selection(call)
        : Selection.ofAllNamespaces(call);
  }

  private static void incomplete(Call call, String controller, String what) {
    call.around().warn("the dump of controller " + controller + " " + what);
    call.went(ExitCode.PARTIAL);
  }

  /** Copies lines and returns the last one; missing when that is no whole line of JSON. */
  private static Json copy(InputStream in, Surroundings around) throws IOException {
    byte[] chunk = new byte[CHUNK];
    byte[] end = new byte[CHUNK];
    int kept = 0;
    for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
      around.out().write(chunk, 0, count);
      around.deliver();
      int older = Math.min(kept, CHUNK - count);
      System.arraycopy(end, kept - older, end, 0, older);
      System.arraycopy(chunk, 0, end, older, count);
      kept = older + count;
    }
    String text = new String(end, 0, kept, StandardCharsets.UTF_8);
    if (!text.endsWith("\n")) {
      return Json.MISSING;
    }
    try {
      return Json.parse(text.substring(text.lastIndexOf('\n', text.length() - 2) + 1));
    } catch (IOException e) {
      return Json.MISSING;
    }
  }
}
