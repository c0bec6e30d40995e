// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.Printer;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** {@code top}: the load of the controllers, the busiest first. */
final class TopCommand {

  static final Flag SORT_BY =
      Flag.of("--sort-by", "WHAT", "rate (default), failing, ready, oldest, workers or name")
          .withChoices(List.of("rate", "failing", "ready", "oldest", "workers", "name"));

  /** The columns, in their order; the load is computed from several fields of a controller. */
  private static final Map<String, Function<Json, String>> COLUMNS = new LinkedHashMap<>();

  static {
    COLUMNS.put("NAME", controller -> controller.text("name"));
    COLUMNS.put("RATE", controller -> rate(controller, "1m"));
    COLUMNS.put("RATE(5M)", controller -> rate(controller, "5m"));
    COLUMNS.put("RATE(1H)", controller -> rate(controller, "1h"));
    COLUMNS.put("WORKERS", TopCommand::workers);
    COLUMNS.put("READY", controller -> controller.get("counts").text("ready"));
    COLUMNS.put("OLDEST", controller -> seconds(controller, "oldestReadySeconds"));
    COLUMNS.put("LONGEST-RUN", controller -> seconds(controller, "longestInFlightSeconds"));
    COLUMNS.put("FAILING", controller -> controller.text("failing"));
    COLUMNS.put("WAITING", controller -> controller.get("counts").text("waitingToken"));
    COLUMNS.put("ADDED", controller -> controller.get("totals").text("added"));
    COLUMNS.put("RETRIED", controller -> controller.get("totals").text("retried"));
  }

  private static final Map<String, ToDoubleFunction<Json>> KEYS =
      Map.of(
          "rate", controller -> controller.get("throughput").decimal("1m"),
          "failing", controller -> controller.decimal("failing"),
          "ready", controller -> controller.get("counts").decimal("ready"),
          "oldest", controller -> controller.decimal("oldestReadySeconds"),
          "workers", controller -> controller.decimal("activeWorkers"),
          "name", _ -> 0);

  private TopCommand() {}

  static void run(CommandContext context) {
    List<String> words = context.words(0, "");
    if (!words.isEmpty() && !ResourceKinds.CONTROLLER.isCalled(words.getFirst())) {
      throw new CommandException("top takes no arguments, found \"" + words.getFirst() + "\"");
    }
    String key = context.arguments().choice(SORT_BY);
    ToDoubleFunction<Json> by = Objects.requireNonNull(KEYS.get(key.isEmpty() ? "rate" : key));
    Printer listing = context.printer(ResourceKinds.CONTROLLER, false, false);
    Json list = context.get(AdminClient.path("controllers"));
    List<Json> sorted = new ArrayList<>(list.list("items"));
    sorted.sort(
        Comparator.comparingDouble(by)
            .reversed()
            .thenComparing(controller -> controller.text("name")));
    listing.page(listing.ofTables() ? table(sorted) : listing.with(list, sorted));
    listing.end("No controllers found.");
  }

  private static Json table(List<Json> controllers) {
    return Json.object(
        "kind",
        "Table",
        "columnDefinitions",
        COLUMNS.keySet().stream().map(header -> Json.object("name", header).value()).toList(),
        "rows",
        controllers.stream().map(controller -> row(controller).value()).toList());
  }

  private static Json row(Json controller) {
    return Json.object(
        "name",
        controller.text("name"),
        "cells",
        COLUMNS.values().stream().map(cell -> cell.apply(controller)).toList());
  }

  private static String rate(Json controller, String window) {
    Json throughput = controller.get("throughput");
    return throughput.has(window)
        ? String.format(Locale.ROOT, "%.2f/s", throughput.decimal(window))
        : "";
  }

  private static String workers(Json controller) {
    return controller.has("maxConcurrent")
        ? controller.text("activeWorkers") + "/" + controller.text("maxConcurrent")
        : "";
  }

  private static String seconds(Json object, String name) {
    return object.has(name)
        ? HumanDuration.shown(Duration.ofMillis(Math.round(object.decimal(name) * 1000)))
        : "";
  }
}
