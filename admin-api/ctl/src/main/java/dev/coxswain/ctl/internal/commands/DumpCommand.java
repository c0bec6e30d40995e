// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemSelector;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code dump}: all items of controllers as lines of JSON. Lines are copied as they arrive; the
 * last one, a trailer, shows whether the dump is complete.
 */
final class DumpCommand {

  /** Like {@link ItemSelector#NAMESPACE}, with all namespaces as the default. */
  private static final Flag NAMESPACE =
      Flag.of(ItemSelector.NAMESPACE.name(), "NAME", "namespace of the items (default: all)")
          .withLetter(ItemSelector.NAMESPACE.letter());

  static final List<Flag> FLAGS =
      ItemSelector.FLAGS.stream()
          .map(flag -> flag.equals(ItemSelector.NAMESPACE) ? NAMESPACE : flag)
          .toList();

  private static final int CHUNK = 64 * 1024;
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private DumpCommand() {}

  static void run(CommandContext context) {
    String query = AdminClient.query(dumped(context).parameters());
    for (String controller : controllers(context)) {
      stream(context, controller, AdminClient.path("controllers", controller, "items") + query);
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

  private static void stream(CommandContext context, String controller, String path) {
    try (InputStream in = context.client().open(path, "application/x-ndjson", Map.of(), SILENCE)) {
      Json trailer = copy(in, context.console());
      if (!trailer.text("kind").equals("Trailer")) {
        incomplete(context, controller, "is incomplete: it ended early");
      } else if (!trailer.flag("complete")) {
        incomplete(context, controller, "is incomplete" + missing(trailer));
      }
    } catch (IOException e) {
      String why = CommandException.reason(e);
      incomplete(
          context, controller, "is incomplete: it ended early" + (why.isEmpty() ? "" : ": " + why));
    }
  }

  /** Returns the missing parts, by replica. */
  private static String missing(Json trailer) {
    return trailer.list("replicas").stream()
        .filter(part -> !part.flag("complete"))
        .map(part ->
            "; replica %s sent %s items: %s"
                .formatted(part.text("replica"), part.text("count"), part.text("error")))
        .collect(Collectors.joining());
  }

  /** Returns the selector, with all namespaces as the default. */
  private static ItemSelector dumped(CommandContext context) {
    return context.arguments().has(ItemSelector.NAMESPACE)
        ? new ItemSelector(context)
        : ItemSelector.ofAllNamespaces(context);
  }

  private static void incomplete(CommandContext context, String controller, String what) {
    context.warn("the dump of controller " + controller + " " + what);
    context.addExitCode(ExitCode.PARTIAL);
  }

  /**
   * Copies lines and returns the last one, or {@link Json#MISSING} when it is not complete JSON.
   */
  private static Json copy(InputStream in, Console console) throws IOException {
    byte[] chunk = new byte[CHUNK];
    byte[] end = new byte[CHUNK];
    int kept = 0;
    for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
      console.out().write(chunk, 0, count);
      console.deliver();
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
