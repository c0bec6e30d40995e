// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.watch;

import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.Printer;
import java.util.Collection;
import java.util.function.Consumer;

/** Reads the items of a watch once more. */
public @FunctionalInterface interface ItemReader {

  /** Passes on the pages with all items that exist now. */
  void read(Consumer<Json> to);

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
