// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.ctl;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code dump}: all items of controllers as lines of JSON. What arrives is passed on at once; only
 * its end is kept, since the last line tells whether the dump is whole.
 */
final class DumpCommand {

  private static final int CHUNK = 64 * 1024;
  private static final String PAGE = "500";
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private DumpCommand() {}

  static void run(Call call) {
    Json list = call.get(AdminClient.path("controllers"));
    Map<String, Json> known = new LinkedHashMap<>();
    list.list("items").stream()
        .filter(controller -> controller.has("counts"))
        .forEach(controller -> known.put(controller.text("name"), controller));
    List<String> words = call.arguments().words();
    Selection selection = dumped(call);
    for (String controller :
        words.isEmpty() ? known.keySet() : words.stream().map(GetCommand::controller).toList()) {
      String path = AdminClient.path("controllers", controller, "items");
      boolean here =
          known.getOrDefault(controller, Json.MISSING).list("parts").stream()
              .allMatch(part -> part.text("replica").equals(list.text("replica")));
      if (here) {
        stream(call, controller, path + AdminClient.query(selection.parameters()));
      } else {
        walk(call, controller, path, selection.parameters());
      }
    }
  }

  /** The replica that is asked has all items, and prints them as fast as they are taken. */
  private static void stream(Call call, String controller, String path) {
    try (InputStream in = call.client().open(path, "application/x-ndjson", Map.of(), SILENCE)) {
      Json trailer = copy(in, call.around());
      if (!trailer.text("kind").equals("Trailer") || !trailer.flag("complete")) {
        cutShort(call, controller, trailer.text("detail"));
      }
    } catch (IOException e) {
      cutShort(call, controller, Lost.reason(e));
    }
  }

  /** Other replicas have items as well: only the pages of a list are of all of them. */
  private static void walk(
      Call call, String controller, String path, Map<String, String> parameters) {
    Surroundings around = call.around();
    Map<String, String> query = new LinkedHashMap<>(parameters);
    query.put("limit", PAGE);
    around.print(Json.object("kind", "ItemDump", "controller", controller) + "\n");
    long count = 0;
    boolean complete = true;
    Json page;
    do {
      page = GetCommand.page(call, path, query);
      for (Json item : page.list("items")) {
        around.print(Json.object("kind", "Item").with(item) + "\n");
        count++;
      }
      around.deliver();
      complete &= !page.flag("partial");
      query.put("continue", page.text("continue"));
    } while (page.has("continue"));
    around.print(Json.object("kind", "Trailer", "complete", complete, "count", count) + "\n");
    around.deliver();
  }

  /** Without a namespace everything is meant, unlike in a list. */
  private static Selection dumped(Call call) {
    return call.arguments().has(Selection.NAMESPACE)
        ? new Selection(call)
        : Selection.ofAllNamespaces(call);
  }

  private static void cutShort(Call call, String controller, String why) {
    call.around()
        .warn(
            "the dump of controller "
                + controller
                + " was cut short"
                + (why.isEmpty() ? "" : ": " + why));
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
