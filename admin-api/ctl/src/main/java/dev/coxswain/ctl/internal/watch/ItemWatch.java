// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.watch;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.Printer;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads items again and again, and prints those whose revision has changed. There are no events of
 * items, because a busy queue changes faster than anybody reads.
 *
 * <p>Of an item only its name and revision are kept. A page takes a second of the pace, so a long
 * list is read less often, not with more requests.
 */
public final class ItemWatch {

  /** The most items that are watched; each takes about 200 bytes. */
  static final int MOST = 10_000;

  private static final Duration PACE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final int MAX_FAILURES = 30;
  private static final int MANY = 20;
  private static final char END = '\n'; // between the name of an item and its replica
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final CommandContext context;
  private final Printer printer;
  private final ItemReader reader;
  private Map<String, String> revisions =
      Map.of(); // of the items that were shown, by name and replica
  private int pages;
  private boolean partial;

  private ItemWatch(CommandContext context, Printer printer, ItemReader reader) {
    this.context = context;
    this.printer = printer.withObjects(); // relative times change without a change of the item
    this.reader = reader;
  }

  /**
   * Prints the items and their changes, until the command is interrupted.
   *
   * @param nothing the message when there is no item at first
   */
  public static void run(
      CommandContext context, Printer printer, ItemReader reader, String nothing) {
    ItemWatch watch = new ItemWatch(context, printer, reader);
    watch.round();
    if (watch.revisions.isEmpty()) {
      context.console().printError(nothing);
    }
    watch.follow();
  }

  private void follow() {
    int failures = 0;
    while (true) {
      context.console().waitFor(PACE.multipliedBy(Math.max(1, pages)));
      try {
        round();
        failures = 0;
      } catch (ProblemException problem) {
        if (problem.status() != TOO_MANY && problem.status() < SERVER_ERROR) {
          throw problem; // such as a lost right, or a controller that was removed
        }
        failures = failed(failures, problem);
      } catch (CommandException lost) {
        if (Thread.currentThread().isInterrupted() || revisions.size() > MOST) {
          throw lost;
        }
        failures = failed(failures, lost);
      }
    }
  }

  private int failed(int before, RuntimeException failure) {
    int failures = before + 1;
    if (failures > MAX_FAILURES) {
      throw failure;
    }
    if (failures == 1) {
      context.console().note("reading again: " + failure.getMessage());
    }
    Duration pause = PACE.multipliedBy(failures);
    context.console().waitFor(pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause);
    return failures;
  }

  /** Reads all items, and prints those that are new or have changed. */
  private void round() {
    Map<String, String> now = new HashMap<>();
    pages = 0;
    partial = false;
    reader.read(page -> {
      pages++;
      partial |= page.flag("partial");
      List<Json> changed =
          printer.entries(page).stream().filter(entry -> changes(entry, now)).toList();
      if (!changed.isEmpty()) {
        printer.page(printer.with(page, changed));
      }
    });
    if (partial) { // what a missing replica has is not gone
      Map<String, String> merged = new HashMap<>(revisions);
      merged.putAll(now);
      revisions = merged.size() > 2 * MOST ? now : merged;
    } else {
      Set<String> present = names(now);
      List<String> gone =
          names(revisions).stream().filter(name -> !present.contains(name)).sorted().toList();
      revisions = now;
      if (gone.size() > MANY) {
        context.console().note(gone.size() + " items are no longer listed");
      } else {
        gone.forEach(name -> context.console().note(name + " is no longer listed"));
      }
    }
  }

  /** Returns names without replicas: an item that another replica has now is not gone. */
  private static Set<String> names(Map<String, String> revisions) {
    return revisions.keySet().stream()
        .map(name -> name.substring(0, name.lastIndexOf(END)))
        .collect(Collectors.toSet());
  }

  /** Stores the revision of an item, and returns whether it is another one than the one shown. */
  private boolean changes(Json entry, Map<String, String> now) {
    Json item = printer.object(entry);
    String name = "item/" + ResourceKinds.key(item.get("key")) + END + item.text("replica");
    String revision = item.text("rev");
    now.put(name, revision);
    if (now.size() > MOST) {
      throw new CommandException(
          "--watch: more than %s items cannot be watched; select fewer".formatted(MOST));
    }
    return !revision.equals(revisions.get(name));
  }
}
