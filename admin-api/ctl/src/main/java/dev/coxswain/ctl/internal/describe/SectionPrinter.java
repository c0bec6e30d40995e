// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.describe;

import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Colors;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Prints a description in sections, as {@code kubectl describe} does. */
final class SectionPrinter {

  private static final int FORBIDDEN = 403;
  private static final int CHANGES = 5;
  private static final int READ_CHANGES = 200;

  private final CommandContext context;

  SectionPrinter(CommandContext context) {
    this.context = context;
  }

  /** Prints fields; those without a text are left out. */
  void fields(String... labelsAndTexts) {
    context.print(Table.described(labelsAndTexts));
  }

  /** Prints a section of fields. */
  void titled(String title, String... labelsAndTexts) {
    section(title, Table.described(labelsAndTexts));
  }

  /** Prints a section with a table; without rows it is {@code <none>}. */
  void table(String title, List<String> headers, List<List<String>> rows) {
    Table table = new Table(headers, true, Colors.of(context.arguments(), context.console()));
    rows.forEach(table::row);
    section(title, table.take());
  }

  private void section(String title, String text) {
    if (text.isEmpty()) {
      context.print(title + ":  <none>\n");
    } else {
      context.print(
          title
              + ":\n"
              + text.lines().map(line -> "  " + line + "\n").collect(Collectors.joining()));
    }
  }

  /**
   * Reads what a section shows. A caller may lack the right to it, or a replica may be missing: the
   * rest is shown all the same.
   *
   * @return {@link Json#MISSING} after a failure, which is printed
   */
  Json read(String title, String path) {
    try {
      return context.get(path);
    } catch (ProblemException problem) {
      section(title, String.valueOf(problem.getMessage()) + "\n");
      if (problem.status() != FORBIDDEN) {
        context.addExitCode(ExitCode.PARTIAL);
      }
      return Json.MISSING;
    }
  }

  /** Prints standing problems. */
  void conditions(Json of) {
    table(
        "Conditions",
        List.of("TYPE", "SINCE", "REPLICA", "MESSAGE"),
        of.list("conditions").stream()
            .map(one ->
                List.of(
                    one.text("type"), ago(one, "since"), one.text("replica"), one.text("message")))
            .toList());
  }

  /** Prints the last changes that concern a thing: their outcomes. */
  void changes(Map<String, String> parameters, Predicate<Json> which) {
    String title = "Last changes";
    Json list = read(title, AdminClient.path("audit") + AdminClient.query(limited(parameters)));
    if (list.isPresent()) {
      List<List<String>> rows = new ArrayList<>();
      list.list("items").stream()
          .filter(one -> one.text("stage").equals("outcome") && which.test(one))
          .limit(CHANGES)
          .forEach(one ->
              rows.add(
                  List.of(
                      ago(one, "at"),
                      one.text("actor"),
                      one.text("action"),
                      one.text("item") + one.text("change"),
                      one.text("result"),
                      one.text("reason"))));
      table(title, List.of("AGE", "ACTOR", "ACTION", "WHAT", "RESULT", "REASON"), rows);
    }
  }

  private static Map<String, String> limited(Map<String, String> parameters) {
    Map<String, String> all = new LinkedHashMap<>(parameters);
    all.put("limit", Integer.toString(READ_CHANGES));
    return all;
  }

  /** Returns the age of a time, or an empty text. */
  String ago(Json of, String field) {
    return of.has(field) ? HumanDuration.since(of.text(field), context.now()) : "";
  }

  /** Returns a time and when that is from now, or an empty text. */
  String time(Json of, String field) {
    return of.has(field)
        ? HumanDuration.time(of.text(field))
            + " ("
            + HumanDuration.relative(of.text(field), context.now())
            + ")"
        : "";
  }
}
