// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.describe;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKind;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code describe}: everything about one controller, limiter or replica on one screen. */
public final class DescribeCommand {

  public static final List<ResourceKind> KINDS =
      List.of(ResourceKinds.CONTROLLER, ResourceKinds.LIMITER, ResourceKinds.REPLICA);

  private static final String USAGE =
      "what to describe: describe controller|limiter|replica NAME...";

  private DescribeCommand() {}

  /** Describes each of the named things. */
  public static void run(CommandContext context) {
    List<String> words = context.words(1, USAGE);
    String first = words.getFirst();
    int slash = first.indexOf('/');
    ResourceKind kind = kind(slash < 0 ? first : first.substring(0, slash));
    List<String> names = slash < 0 ? words.subList(1, words.size()) : words;
    if (names.isEmpty()) {
      throw new CommandException("expected " + USAGE);
    }
    boolean another = false;
    for (String word : names) {
      context.print(another ? "\n\n" : "");
      another = true;
      String name = kind.bareName(word);
      if (kind.equals(ResourceKinds.CONTROLLER)) {
        ControllerTexts.print(context, name);
      } else if (kind.equals(ResourceKinds.LIMITER)) {
        limiter(context, name);
      } else {
        replica(context, name);
      }
      context.console().deliver();
    }
  }

  private static ResourceKind kind(String word) {
    return KINDS.stream()
        .filter(kind -> kind.isCalled(word))
        .findFirst()
        .orElseThrow(() ->
            new CommandException(
                "cannot describe \"%s\", %s; explain describes an item"
                    .formatted(
                        word,
                        Suggestions.of(
                            word, KINDS.stream().map(ResourceKind::singular).toList()))));
  }

  private static void limiter(CommandContext context, String name) {
    Json limiter = context.get(AdminClient.path("limiters", name));
    SectionPrinter to = new SectionPrinter(context);
    to.fields(limiterFields(to, limiter));
    to.table(
        "Replicas",
        List.of("REPLICA", "MODE", "RATE", "TOKENS", "WAITERS", "GRANTED", "DENIED", "DEGRADED"),
        limiter.list("parts").stream()
            .map(part ->
                List.of(
                    part.text("replica"),
                    part.text("mode"),
                    part.text("refillPerSecond"),
                    tokens(part),
                    part.text("waiters"),
                    part.text("granted"),
                    part.text("denied"),
                    part.text("degradedReason")))
            .toList());
    Json controllers = to.read("Controllers", AdminClient.path("controllers"));
    if (controllers.isPresent()) {
      to.table(
          "Controllers",
          List.of("NAME", "STATE", "WAITING", "FAILING"),
          controllers.list("items").stream()
              .filter(one -> one.get("options").text("limiter").equals(name))
              .map(one ->
                  List.of(
                      one.text("name"),
                      ResourceKinds.state(one),
                      one.get("counts").text("waitingToken"),
                      one.text("failing")))
              .toList());
    }
    to.changes(Map.of(), record -> record.text("limiter").equals(name));
  }

  /** Returns the labels and texts of a limiter. */
  static String[] limiterFields(SectionPrinter to, Json limiter) {
    return new String[] {
      "Name", limiter.text("name"),
      "Mode", limiter.text("mode"),
      "Degraded", limiter.flag("degraded") ? limiter.text("degradedReason") : "",
      "Rate", limiter.has("refillPerSecond") ? limiter.text("refillPerSecond") + "/s" : "no limit",
      "Burst", limiter.text("capacity"),
      "Source", limiter.text("source"),
      "Override ends", to.time(limiter, "expiresAt"),
      "Tokens", tokens(limiter),
      "Waiters", limiter.text("waiters"),
      "Granted", limiter.text("granted"),
      "Denied", limiter.text("denied"),
    };
  }

  /** Returns the tokens with one decimal, as the table of limiters has them. */
  private static String tokens(Json limiter) {
    return limiter.has("tokens")
        ? String.format(Locale.ROOT, "%.1f", limiter.decimal("tokens"))
        : "";
  }

  private static void replica(CommandContext context, String name) {
    Json list = context.get(AdminClient.path("replicas"));
    Json replica =
        list.list("items").stream()
            .filter(one -> one.text("replica").equals(name))
            .findFirst()
            .orElseThrow(() ->
                new CommandException(
                    "no replica \"%s\", %s"
                        .formatted(
                            name,
                            Suggestions.of(
                                name,
                                list.list("items").stream()
                                    .map(one -> one.text("replica"))
                                    .toList()))));
    SectionPrinter to = new SectionPrinter(context);
    to.fields(
        "Name", name,
        "State", replica.text("state"),
        "Error", replica.text("error"),
        "Drained", replica.flag("drained") ? "yes" : "",
        "Leaving", replica.flag("leaving") ? "yes" : "",
        "Version", replica.text("version"),
        "Started", to.time(replica, "startedAt"),
        "Lease since", to.time(replica, "since"),
        "Ordinal", replica.text("ordinal"),
        "Generation", replica.text("generation"),
        "Address", replica.text("address"),
        "Slots", replica.text("slots"),
        "Weight", replica.text("weight"));
    to.conditions(replica);
    to.table(
        "Controllers",
        List.of("NAME", "STATE", "OWNERSHIP"),
        replica.list("controllers").stream()
            .map(one -> List.of(one.text("name"), one.text("state"), one.text("ownership")))
            .toList());
    configuration(to, name);
    caches(to, name);
    to.changes(Map.of(), record -> concerns(record, name));
  }

  private static void configuration(SectionPrinter to, String name) {
    String title = "Configuration";
    for (Json one : to.read(title, AdminClient.path("config")).list("items")) {
      if (one.text("replica").equals(name)) {
        to.titled(
            title,
            "State",
            one.text("state"),
            "File",
            one.text("file"),
            "Loaded",
            to.time(one, "loadedAt"),
            "Needs a restart",
            joined(one, "needsRestart"),
            "Errors",
            joined(one, "errors"));
      }
    }
  }

  private static String joined(Json of, String field) {
    return of.list(field).stream().map(Json::asText).collect(Collectors.joining("; "));
  }

  /** Prints the caches that do not deliver at the moment. */
  private static void caches(SectionPrinter to, String name) {
    String title = "Caches with problems";
    Json list = to.read(title, AdminClient.path("caches"));
    if (list.isPresent()) {
      to.table(
          title,
          List.of("NAME", "PHASE", "PROBLEM"),
          list.list("items").stream()
              .filter(one -> one.text("replica").equals(name))
              .filter(one -> !one.text("problem").isEmpty() || !one.flag("synced"))
              .map(one -> List.of(one.text("name"), one.text("phase"), one.text("problem")))
              .toList());
    }
  }

  /** Returns whether a change is one of a replica, as a drain is. */
  private static boolean concerns(Json record, String replica) {
    try {
      return record.has("change")
          && Json.parse(record.text("change")).text("replica").equals(replica);
    } catch (IOException e) {
      return false; // cut, as long ones are
    }
  }
}
