// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads filters of items from a query or from the selector of an operation. */
public final class ItemFilters {

  public static final int MAX_NAME = 253;

  /** The name of the label selector, in a query and in a selector. */
  public static final String SELECTOR = "labelSelector";

  private static final int MAX_CLASS = 128;
  private static final Pattern CLASS = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*");
  private static final Pattern CAUSE = Pattern.compile("[0-9a-f]{12}");
  private static final int MAX_FAILURES = 1_000_000_000 - 1;

  private static final String PHASES =
      Arrays.stream(Phase.values()).map(Phase::label).collect(Collectors.joining(", "));

  private ItemFilters() {}

  public static ItemFilter of(Query query) {
    Set<Phase> phases = phases(query.many("phase"), wrong -> query.fault("phase", wrong.detail()));
    return filter(
        phases,
        query.flag("failing"),
        query.number("minFailures", 0, MAX_FAILURES, 0),
        query.text("namespace", MAX_NAME),
        query.text("name", MAX_NAME),
        Long.MAX_VALUE,
        query.duration("olderThan"),
        query.time("readyBefore"),
        errorClass(query.text("errorClass", MAX_CLASS), wrong -> query.fault("errorClass", wrong)),
        cause(query.text("cause", MAX_CLASS), wrong -> query.fault("cause", wrong)),
        query.text(SELECTOR, ItemFilter.MAX_SELECTOR));
  }

  public static ItemFilter of(@Nullable Body selector, long maxSeq) {
    if (selector == null) {
      return ItemFilter.ALL.withMaxSeq(maxSeq);
    }
    List<String> labels = selector.texts("phase");
    Set<Phase> phases =
        phases(
            labels == null ? List.of() : labels,
            wrong -> selector.fault("phase/" + wrong.index(), wrong.detail()));
    Long minFailures = selector.number("minFailures", 0, MAX_FAILURES);
    return filter(
        phases,
        selector.flag("failing"),
        minFailures == null ? 0 : minFailures.intValue(),
        selector.text("namespace", 0, MAX_NAME),
        selector.text("name", 1, MAX_NAME),
        maxSeq,
        olderThan(selector),
        selector.time("readyBefore"),
        errorClass(
            selector.text("errorClass", 1, MAX_CLASS),
            wrong -> selector.fault("errorClass", wrong)),
        cause(selector.text("cause", 1, MAX_CLASS), wrong -> selector.fault("cause", wrong)),
        selector.text(SELECTOR, 1, ItemFilter.MAX_SELECTOR));
  }

  /**
   * Refuses a label selector in a query that is invalid, or whose controller has no objects with
   * labels.
   */
  public static void checkParameter(ControllerHandle handle, ItemFilter filter) {
    check(handle, filter, "parameter", SELECTOR);
  }

  /** Refuses such a label selector in the selector of an operation. */
  public static void checkSelector(ControllerHandle handle, ItemFilter filter) {
    check(handle, filter, "pointer", "/selector/" + SELECTOR);
  }

  private static void check(ControllerHandle handle, ItemFilter filter, String where, String name) {
    String selector = filter.labelSelector();
    if (selector == null) {
      return;
    }
    String wrong;
    try {
      if (handle.selects(selector)) {
        return;
      }
      wrong =
          "controller \""
              + handle.name()
              + "\" keeps no objects with labels; leave out the"
              + " label selector";
    } catch (IllegalArgumentException e) {
      wrong = Json.line(String.valueOf(e.getMessage()), Json.MAX_ERROR_TEXT);
    }
    throw Problem.invalid("unsupported-selector", wrong, new Problem.Fault(where, name, wrong))
        .rejection();
  }

  private static @Nullable Duration olderThan(Body selector) {
    Duration age = selector.duration("olderThan");
    if (age != null && age.isZero()) {
      selector.fault("olderThan", "must be greater than 0");
    }
    // A longer text was refused above, and must not reach the filter.
    return age == null || age.compareTo(Durations.MAX) > 0 ? null : age;
  }

  private static @Nullable String errorClass(@Nullable String name, Consumer<String> wrong) {
    if (name != null && !CLASS.matcher(name).matches()) {
      wrong.accept("must be the simple name of a class: letters, digits, _ and $");
      return null;
    }
    return name;
  }

  private static @Nullable String cause(@Nullable String id, Consumer<String> wrong) {
    if (id != null && !CAUSE.matcher(id).matches()) {
      wrong.accept("must be the id of a cause: 12 hexadecimal digits");
      return null;
    }
    return id;
  }

  private record Wrong(int index, String detail) {}

  private static Set<Phase> phases(List<String> labels, Consumer<Wrong> wrong) {
    Set<Phase> phases = EnumSet.noneOf(Phase.class);
    for (int i = 0; i < labels.size(); i++) {
      Phase found = null;
      for (Phase phase : Phase.values()) {
        if (phase.label().equals(labels.get(i))) {
          found = phase;
        }
      }
      if (found == null) {
        wrong.accept(
            new Wrong(
                i,
                "must be one of " + PHASES + ", found \"" + Json.line(labels.get(i), 64) + "\""));
      } else {
        phases.add(found);
      }
    }
    return phases;
  }

  /** Leaves out conditions that exclude no item, so that a filter of all items is recognized. */
  private static ItemFilter filter(
      Set<Phase> phases,
      @Nullable Boolean failing,
      int minFailures,
      @Nullable String namespace,
      @Nullable String name,
      long maxSeq,
      @Nullable Duration olderThan,
      @Nullable Instant readyBefore,
      @Nullable String errorClass,
      @Nullable String cause,
      @Nullable String labelSelector) {
    return new ItemFilter(
        phases.size() == Phase.values().length ? Set.of() : phases,
        failing,
        minFailures,
        namespace,
        name == null || name.chars().allMatch(c -> c == '*') ? null : name,
        maxSeq,
        olderThan,
        readyBefore,
        errorClass,
        cause,
        labelSelector == null || labelSelector.isBlank() ? null : labelSelector);
  }
}
