// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.condition;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.ctl.internal.print.FieldPath;
import dev.coxswain.ctl.internal.print.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A condition of {@code wait --for}.
 *
 * <p>Thread rule: immutable.
 */
final class Condition {

  static final List<String> OF_CONTROLLERS = List.of("ready", "paused", "empty", "jsonpath=");
  static final List<String> OF_ITEMS = List.of("reconciled", "failing", "gone", "jsonpath=");

  private static final String JSON_PATH = "jsonpath=";
  private static final String KUBECTL_PREFIX = "condition=";

  /** Reasons of an explanation with which an item is in no queue. */
  private static final Set<String> GONE = Set.of("deleted", "dropped", "flushed", "succeeded");

  /** Reasons with which the last attempt was a success and nothing is due: {@code requeueAfter} is no work that is left. */
  private static final Set<String> RECONCILED = Set.of("succeeded", "scheduled");

  /** Reasons with which it is not certain what an item is. */
  private static final Set<String> UNCERTAIN =
      Set.of("noOwner", "notOwned", "loading", "notSynced", "unread", "notRunning");

  private final String text;
  private final Function<Json, String> missing;

  private Condition(String text, Function<Json, String> missing) {
    this.text = text;
    this.missing = missing;
  }

  /**
   * Returns the condition that is written in a flag, with or without kubectl's {@code condition=}.
   *
   * @throws CommandException for an unknown one, or a wrong path
   */
  static Condition of(String written, boolean ofItem) {
    if (written.startsWith(JSON_PATH)) {
      return ofPath(written);
    }
    String name =
        (written.startsWith(KUBECTL_PREFIX) ? written.substring(KUBECTL_PREFIX.length()) : written)
            .toLowerCase(Locale.ROOT);
    @Nullable Function<Json, String> missing = ofItem ? ofItem(name) : ofController(name);
    if (missing == null) {
      List<String> known = ofItem ? OF_ITEMS : OF_CONTROLLERS;
      throw new CommandException(
          "flag --for: unknown condition \"%s\" of %s, %s"
              .formatted(written, ofItem ? "items" : "controllers", Suggestions.of(name, known)));
    }
    return new Condition(name, missing);
  }

  private static @Nullable Function<Json, String> ofController(String name) {
    return switch (name) {
      case "ready" -> Condition::notReady;
      case "paused" -> Condition::notPaused;
      case "empty" -> Condition::notEmpty;
      default -> null;
    };
  }

  private static @Nullable Function<Json, String> ofItem(String name) {
    return switch (name) {
      case "reconciled" -> Condition::notReconciled;
      case "failing" -> item -> item.get("item").flag("failing") ? "" : state(item);
      case "gone", "delete" -> // kubectl's word
          item ->
              item.get("item").isPresent() || UNCERTAIN.contains(item.text("reason"))
                  ? state(item)
                  : "";
      default -> null;
    };
  }

  private static Condition ofPath(String written) {
    String rest = written.substring(JSON_PATH.length());
    int brace = rest.lastIndexOf('}');
    int equals = rest.indexOf('=', brace < 0 ? 0 : brace);
    String path = equals < 0 ? rest : rest.substring(0, equals);
    @Nullable String expected = equals < 0 ? null : rest.substring(equals + 1);
    if (path.isEmpty() || (expected != null && expected.isEmpty())) {
      throw new CommandException(
          "flag --for: expected jsonpath='{.path}'=value, found \"" + written + "\"");
    }
    FieldPath field = FieldPath.relaxed(path, "--for jsonpath");
    return new Condition(written, object -> differs(field, object, expected));
  }

  private static String differs(FieldPath field, Json object, @Nullable String expected) {
    List<Object> values = field.values(object);
    if (values.isEmpty()) {
      return field + " is missing";
    }
    if (expected == null) {
      return "";
    }
    Json value = new Json(values.getFirst());
    if (values.size() > 1 || value.isObject() || value.value() instanceof List) {
      throw new CommandException(
          "flag --for: %s is not one text, number or boolean, but %s"
              .formatted(field, values.size() > 1 ? values.size() + " values" : "more than that"));
    }
    return value.asText().equals(expected) ? "" : field + " is " + value.asText();
  }

  /** Returns whether it is one of a path, so of what {@code -o json} shows. */
  boolean isOfPath() {
    return text.startsWith(JSON_PATH);
  }

  /** Returns what is missing for the condition; empty when it is fulfilled. */
  String missing(Json object) {
    return missing.apply(object);
  }

  /** Returns the condition as it is written. */
  @Override
  public String toString() {
    return text;
  }

  private static String notReady(Json controller) {
    List<String> problems = new ArrayList<>(replicas(controller));
    for (Json part : parts(controller)) {
      String state = part.text("state");
      if (!state.equals("running")) {
        problems.add(of(part, "state is " + state));
      }
    }
    for (Json condition : controller.list("conditions")) {
      problems.add(of(condition, condition.text("type") + ": " + condition.text("message")));
    }
    return String.join("; ", problems);
  }

  private static String notPaused(Json controller) {
    List<String> problems = new ArrayList<>(replicas(controller));
    if (!controller.flag("paused")) {
      problems.add("it is not paused");
    }
    for (Json part : controller.list("parts")) {
      if (part.has("paused") && !part.flag("paused")) {
        problems.add(of(part, "not paused"));
      }
    }
    return String.join("; ", problems);
  }

  private static String notEmpty(Json controller) {
    List<String> problems = new ArrayList<>(replicas(controller));
    if (!controller.has("total")) {
      problems.add("state is " + controller.text("state"));
    } else if (controller.number("total") > 0) {
      Json counts = controller.get("counts");
      problems.add(
          "%s items: ready=%s delayed=%s waiting=%s inFlight=%s"
              .formatted(
                  controller.text("total"),
                  counts.text("ready"),
                  counts.text("delayed"),
                  counts.text("waitingToken"),
                  counts.text("inFlight")));
    }
    return String.join("; ", problems);
  }

  /** Returns the parts that run it, or the controller itself when there are no parts. */
  private static List<Json> parts(Json controller) {
    List<Json> running =
        controller.list("parts").stream()
            .filter(part -> !part.text("state").equals("standby"))
            .toList();
    return running.isEmpty() ? List.of(controller) : running;
  }

  /** Returns the replicas that are missing in the response. */
  private static List<String> replicas(Json response) {
    return response.list("replicas").stream()
        .filter(replica -> replica.has("state") && !replica.text("state").equals("ok"))
        .map(replica -> "replica " + replica.text("replica") + " is " + replica.text("state"))
        .toList();
  }

  private static String of(Json part, String what) {
    return part.has("replica") ? "replica " + part.text("replica") + ": " + what : what;
  }

  private static String notReconciled(Json explanation) {
    Json item = explanation.get("item");
    String reason = explanation.text("reason");
    boolean done =
        RECONCILED.contains(reason)
            && !item.flag("failing")
            && !item.flag("dirty")
            && explanation.list("copies").stream().allMatch(copy -> notReconciled(copy).isEmpty());
    return done ? "" : state(explanation);
  }

  /** Returns the state of an item in a few words. */
  private static String state(Json explanation) {
    Json item = explanation.get("item");
    String reason = "reason is " + explanation.text("reason");
    if (!item.isPresent()) {
      return reason + (GONE.contains(explanation.text("reason")) ? ", not queued" : "");
    }
    return reason
        + ", phase "
        + item.text("phase")
        + ", "
        + item.number("failures")
        + " failures"
        + (item.has("lastError") ? ", last error: " + item.text("lastError") : "");
  }
}
