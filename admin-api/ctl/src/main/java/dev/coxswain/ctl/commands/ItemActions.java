// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.Surroundings;
import dev.coxswain.ctl.client.AdminClient;
import dev.coxswain.ctl.client.Connections;
import dev.coxswain.ctl.print.Json;
import dev.coxswain.ctl.print.Kinds;
import dev.coxswain.ctl.print.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Changes of items that are named: {@code retry}, {@code forget}, {@code requeue}, {@code drop},
 * {@code enqueue}.
 */
final class ItemActions {

  static final Flag DRY_RUN = Flag.alone("--dry-run", "show what would be changed, change nothing");
  static final Flag DELAY = Flag.of("--delay", "DURATION", "how long until it is due, such as 10m");
  static final Flag RESCHEDULE =
      Flag.alone("--reschedule", "make it due now as well, if it waits for its next attempt");

  private ItemActions() {}

  /**
   * A change of one item.
   *
   * @param verb of the command
   * @param done how it is told
   * @param method of the request
   * @param body what to send besides the reason
   */
  private record Action(String verb, String done, String method, Function<Call, Json> body) {}

  static void retry(Call call) {
    run(call, new Action("retry", "retried", "POST", _ -> Json.object()));
  }

  static void forget(Call call) {
    run(
        call,
        new Action(
            "forget",
            "forgotten",
            "POST",
            one -> Json.object("reschedule", one.arguments().on(RESCHEDULE) ? true : null)));
  }

  static void requeue(Call call) {
    run(call, new Action("requeue", "requeued", "POST", one -> Json.object("delay", delay(one))));
  }

  static void drop(Call call) {
    run(call, new Action("drop", "dropped", "DELETE", _ -> Json.object()));
  }

  static void enqueue(Call call) {
    List<Item> items = items(call, "enqueue");
    Duration delay = Connections.duration(call.arguments(), DELAY, Duration.ZERO);
    if (call.arguments().on(DRY_RUN)) {
      // Whatever is named can be added, as long as there is somebody to add it to.
      Json controller =
          call.client().get(AdminClient.path("controllers", items.getFirst().controller()));
      wouldBe(call, items, _ -> controller, "enqueued");
      return;
    }
    String reason = call.reason();
    Changes.each(
        call,
        items,
        item ->
            call.client()
                .change(
                    "POST",
                    AdminClient.path("controllers", item.controller(), "items"),
                    Json.object(
                        "namespace",
                        item.namespace(),
                        "name",
                        item.name(),
                        "delay",
                        delay.isZero() ? null : call.arguments().value(DELAY),
                        "reason",
                        reason),
                    Changes.once())
                .body(),
        (_, result) -> told(result, "enqueued"));
  }

  /** Returns the delay that must be given. */
  static String delay(Call call) {
    if (!call.arguments().has(DELAY)) {
      throw new CtlException("requeue needs --delay: how long until it is due, such as 10m");
    }
    Connections.duration(call.arguments(), DELAY, Duration.ZERO); // refuses what is no duration
    return call.arguments().value(DELAY, "");
  }

  private static void run(Call call, Action action) {
    if (call.arguments().words().size() == 1 && !action.method().equals("DELETE")) {
      BulkActions.run(call, action.verb(), call.arguments().words().getFirst());
      return;
    }
    refuseSelection(call.arguments());
    List<Item> items = items(call, action.verb());
    Json body = action.body().apply(call);
    boolean dryRun = call.arguments().on(DRY_RUN);
    if (action.method().equals("DELETE")) {
      Map<Item, Json> found = look(call, items);
      preview(call, found);
      if (dryRun) {
        wouldBe(call, items, item -> Objects.requireNonNull(found.get(item)), action.done());
        return;
      }
      call.confirm(
          "Drop %s of controller %s at %s?"
              .formatted(
                  items.size() == 1 ? "this item" : "these " + items.size() + " items",
                  items.getFirst().controller(),
                  call.client().address()));
    } else if (dryRun) {
      wouldBe(call, items, item -> call.client().get(item.path()), action.done());
      return;
    }
    Json order = body.with("reason", call.reason());
    Changes.each(
        call,
        items,
        item -> change(call, action, item, order),
        (_, result) -> told(result, action.done()));
  }

  /** Names and flags that choose items would be two answers to one question. */
  private static void refuseSelection(Arguments arguments) {
    List<Flag> others = new ArrayList<>(Selection.FLAGS);
    others.addAll(BulkActions.ONLY_MANY);
    others.remove(Selection.NAMESPACE);
    for (Flag flag : others) {
      if (arguments.has(flag)) {
        throw new CtlException(
            "items are named, and " + flag.name() + " is for items that are chosen: leave one out");
      }
    }
  }

  private static List<Item> items(Call call, String verb) {
    List<String> words = call.words(2, "items: " + verb + " CONTROLLER [NAMESPACE/]NAME...");
    String controller = GetCommand.controller(words.getFirst());
    return words.stream().skip(1).map(name -> Item.of(call, controller, name)).toList();
  }

  /** Tells what a change would do; what is not there is the error that the change would be. */
  private static void wouldBe(Call call, List<Item> items, Function<Item, Json> look, String done) {
    Changes.each(call, items, look, (_, _) -> done + " (dry run)");
  }

  private static Map<Item, Json> look(Call call, List<Item> items) {
    Map<Item, Json> found = new LinkedHashMap<>();
    items.forEach(item -> found.put(item, call.get(item.path())));
    return found;
  }

  /** Shows on the standard error what is about to be dropped. */
  private static void preview(Call call, Map<Item, Json> found) {
    Table table = new Table(List.of("ITEM", "PHASE", "FAILURES", "LAST ERROR"), true);
    found.forEach((item, shown) ->
        table.row(
            List.of(
                item.namespace() + "/" + item.name(),
                Kinds.phase(shown),
                shown.text("failures"),
                shown.text("lastError"))));
    call.around().err().print(table.take());
  }

  private static Json change(Call call, Action action, Item item, Json order) {
    String path = action.method().equals("DELETE") ? item.path() : item.path(action.verb());
    return Changes.ofWhatIsThere(call, action.method(), path, order, item.path());
  }

  private static String told(Json result, String done) {
    return switch (result.text("result")) {
      case "skipped" -> "not changed" + because(result);
      case "partial" -> done + " on some replicas only" + because(result);
      case "unknown" -> "may have been " + done + because(result);
      default -> done;
    };
  }

  private static String because(Json result) {
    return result.has("detail") ? ": " + Surroundings.clean(result.text("detail")) : "";
  }
}
