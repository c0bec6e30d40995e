// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.context;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.print.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The flags that select items, for lists and for bulk changes. */
public final class ItemSelector {

  public static final Flag NAMESPACE =
      Flag.of("--namespace", "NAME", "namespace of the items (default: of the context)")
          .withLetter('n');
  public static final Flag ALL_NAMESPACES =
      Flag.alone("--all-namespaces", "items of all namespaces").withLetter('A');
  public static final Flag PHASE =
      Flag.of(
              "--phase",
              "PHASES",
              "ready, delayed, waitingToken, inFlight, terminal; comma-separated")
          .withChoices(List.of("ready", "delayed", "waitingToken", "inFlight", "terminal"));
  public static final Flag FAILING = Flag.alone("--failing", "failing items (=false: others)");
  public static final Flag MIN_FAILURES =
      Flag.of("--min-failures", "N", "items with at least N failures in a row");
  public static final Flag NAME =
      Flag.of("--name", "GLOB", "items whose name matches; wildcards * and ?");
  public static final Flag OLDER_THAN =
      Flag.of(
          "--older-than",
          "DURATION",
          "items in their phase for at least this time; not delayed ones");
  public static final Flag READY_BEFORE =
      Flag.of("--ready-before", "TIME", "items due before, such as 2026-11-20T10:00:00Z");
  public static final Flag ERROR_CLASS =
      Flag.of(
          "--error-class", "CLASS", "items by class of the last failure, such as TimeoutException");
  public static final Flag CAUSE =
      Flag.of("--cause", "ID", "items whose last failure has this cause, see get causes");
  public static final Flag SELECTOR =
      Flag.of(
              "--selector",
              "LABELS",
              "items by labels of the object, such as app=web,tier in (a,b),!legacy")
          .withLetter('l');

  public static final List<Flag> FLAGS =
      List.of(
          NAMESPACE,
          ALL_NAMESPACES,
          PHASE,
          FAILING,
          MIN_FAILURES,
          NAME,
          OLDER_THAN,
          READY_BEFORE,
          ERROR_CLASS,
          CAUSE,
          SELECTOR);

  private static final Map<String, Flag> BY_FIELD = new LinkedHashMap<>();

  static {
    BY_FIELD.put("phase", PHASE);
    BY_FIELD.put("failing", FAILING);
    BY_FIELD.put("minFailures", MIN_FAILURES);
    BY_FIELD.put("name", NAME);
    BY_FIELD.put("olderThan", OLDER_THAN);
    BY_FIELD.put("readyBefore", READY_BEFORE);
    BY_FIELD.put("errorClass", ERROR_CLASS);
    BY_FIELD.put("cause", CAUSE);
    BY_FIELD.put("labelSelector", SELECTOR);
  }

  private static final long MAX_FAILURES = 999_999_999;

  private final Map<String, String> fields = new LinkedHashMap<>();
  private final boolean allNamespaces;

  /** Creates a selector from the flags. */
  public ItemSelector(CommandContext context) {
    this(context, context.arguments().on(ALL_NAMESPACES));
  }

  private ItemSelector(CommandContext context, boolean everywhere) {
    Arguments arguments = context.arguments();
    allNamespaces = everywhere;
    if (!allNamespaces) {
      fields.put("namespace", context.namespace());
    } else if (arguments.has(NAMESPACE)) {
      throw new CommandException("give either --namespace or --all-namespaces");
    }
    arguments.number(
        MIN_FAILURES, 0, 0, MAX_FAILURES); // a better message than the server's, before any request
    BY_FIELD.forEach((field, flag) -> arguments.put(fields, field, flag));
  }

  /** Returns a selector from the flags, with all namespaces as the default. */
  public static ItemSelector ofAllNamespaces(CommandContext context) {
    return new ItemSelector(context, true);
  }

  public boolean allNamespaces() {
    return allNamespaces;
  }

  /** Returns whether it selects by more than the namespace. */
  public boolean narrows() {
    return fields.keySet().stream().anyMatch(field -> !field.equals("namespace"));
  }

  /** Returns the query parameters of a list. */
  public Map<String, String> parameters() {
    return new LinkedHashMap<>(fields);
  }

  /** Returns the selector of an operation. */
  public Json selector() {
    Map<String, Object> selector = new LinkedHashMap<>();
    fields.forEach((field, value) ->
        selector.put(
            field,
            switch (field) {
              case "phase" -> List.of(value.split(","));
              case "failing" -> Boolean.valueOf(value);
              case "minFailures" -> Long.valueOf(value);
              default -> value;
            }));
    return new Json(selector);
  }

  /** Returns the message for an empty result. */
  public String nothing(String controller) {
    String where = allNamespaces ? "" : " in namespace \"" + fields.get("namespace") + "\"";
    return "No %sitems of controller %s%s%s"
        .formatted(
            narrows() ? "matching " : "",
            controller,
            where,
            allNamespaces ? "." : ". (-A shows all namespaces)");
  }
}
