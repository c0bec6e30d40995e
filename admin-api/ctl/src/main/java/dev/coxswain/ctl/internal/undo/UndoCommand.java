// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.undo;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code undo}: restores what was before a change. */
public final class UndoCommand {

  public static final Flag DRY_RUN =
      Flag.alone("--dry-run", "show the effect without changing anything");

  /** A page without a change of the caller is not the last one. */
  private static final int MAX_PAGES = 20;

  /** So many audit records are read for a page of one change, at most. */
  private static final int RECORDS_OF_A_PAGE = 500;

  private UndoCommand() {}

  /** Undoes the named change, or after a confirmation the last one of the caller that can be undone. */
  public static void run(CommandContext context) {
    List<String> words = context.arguments().words();
    if (words.size() > 1) {
      throw new CommandException("undo takes one request id: changes are undone one by one");
    }
    OutputFormat format = OutputFormat.of(context.arguments()); // before any request
    boolean dryRun = context.arguments().on(DRY_RUN);
    String id;
    if (words.isEmpty()) {
      Json change = last(context);
      id = change.text("requestId");
      context.console().note(shown(context, change));
      if (!dryRun) {
        context.confirm("This change is undone. Continue?");
      }
    } else {
      id = ResourceKinds.CHANGE.bareName(words.getFirst());
    }
    String path = AdminClient.path("changes", id, "undo");
    Json order =
        dryRun
            ? Json.object("reason", "dry run", "dryRun", true)
            : Json.object("reason", context.reason());
    Json done = context.change("POST", path, order);
    context.warnIfPartial(done);
    String name = ResourceKinds.CHANGE.singular() + "/";
    context.print(
        format.shown(
            done,
            name + done.text(dryRun ? "undoes" : "requestId"),
            name
                + id
                + (dryRun ? " would be undone" : " undone")
                + ", "
                + subject(done)
                + ": "
                + Console.clean(done.text("change"))
                + (dryRun || done.text("detail").isEmpty()
                    ? ""
                    : "; " + Console.clean(done.text("detail")))
                + (dryRun ? "" : "; to undo that: undo " + done.text("requestId"))
                + "\n"));
  }

  /** Returns the last change of the caller that can be undone. */
  private static Json last(CommandContext context) {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("mine", "true");
    query.put("undoable", "true");
    query.put("limit", "1");
    for (int page = 0; page < MAX_PAGES; page++) {
      Json list = context.get(AdminClient.path("changes") + AdminClient.query(query));
      List<Json> items = list.list("items");
      if (!items.isEmpty()) {
        return items.getFirst();
      }
      if (!list.has("continue")) {
        throw new CommandException(
            "none of your changes can be undone; to see all, and why: get changes -o wide");
      }
      query.put("continue", list.text("continue"));
    }
    throw new CommandException(
        "no change of yours that can be undone is among the last "
            + MAX_PAGES * RECORDS_OF_A_PAGE
            + " audit records; name the request: undo REQUEST. To see the changes: get changes");
  }

  private static String shown(CommandContext context, Json change) {
    return Console.clean(
        "%s ago, %s of %s: %s (%s), request %s"
            .formatted(
                HumanDuration.since(change.text("at"), context.now()),
                change.text("action"),
                subject(change),
                change.text("change"),
                change.text("reason"),
                change.text("requestId")));
  }

  private static String subject(Json change) {
    if (change.has("limiter")) {
      return "limiter/" + Console.clean(change.text("limiter"));
    }
    String controller = "controller/" + Console.clean(change.text("controller"));
    return change.has("cause")
        ? controller + ", cause " + Console.clean(change.text("cause"))
        : controller;
  }
}
