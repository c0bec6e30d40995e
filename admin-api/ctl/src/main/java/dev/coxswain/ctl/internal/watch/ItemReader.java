// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.watch;

import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.Printer;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Reads all items of a command, for a watch again and again. */
public @FunctionalInterface interface ItemReader {

  /** Passes on the pages with all items that exist now. */
  void read(Consumer<Json> to);

  /** The largest page of the API. */
  int PAGE = 500;

  /**
   * Returns a reader of a list, a page at a time.
   *
   * @param query the parameters of the first page; those of the last page read after that
   * @param accept returns the media type of a page, which is one of JSON
   */
  static ItemReader ofList(
      CommandContext context, String path, Map<String, String> query, Supplier<String> accept) {
    query.put("limit", Integer.toString(PAGE));
    return to -> {
      query.remove("continue");
      do {
        Json page = context.page(path, query, accept.get());
        to.accept(page);
        query.put("continue", page.text("continue"));
      } while (!query.getOrDefault("continue", "").isEmpty());
    };
  }

  /** Returns a reader of items by their paths, which leaves out those that are in no queue. */
  static ItemReader ofNamed(CommandContext context, Collection<String> paths, Printer printer) {
    return to -> {
      for (String path : paths) {
        try {
          to.accept(printer.listed(context.get(path, printer)));
        } catch (ProblemException problem) {
          if (!problem.type().equals("item-not-found")) {
            throw problem;
          }
        }
      }
    };
  }
}
