// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import static dev.coxswain.ctl.internal.print.ResourceKind.Column.column;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.Printer;
import dev.coxswain.ctl.internal.print.ResourceKind;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** {@code top}: the load of the controllers, the busiest first. */
final class TopCommand {

  static final Flag SORT_BY =
      Flag.of("--sort-by", "WHAT", "rate (default), failing, ready, oldest, workers or name")
          .withChoices(List.of("rate", "failing", "ready", "oldest", "workers", "name"));

  private static final ResourceKind LOAD =
      new ResourceKind(
          "controller",
          "controllers",
          List.of(),
          controller -> controller.text("name"),
          List.of(
              column("NAME", (controller, _) -> controller.text("name")),
              column("RATE", (controller, _) -> ResourceKinds.rate(controller, "1m")),
              column("RATE(5M)", (controller, _) -> ResourceKinds.rate(controller, "5m")),
              column("RATE(1H)", (controller, _) -> ResourceKinds.rate(controller, "1h")),
              column("WORKERS", (controller, _) -> ResourceKinds.workers(controller)),
              column("READY", (controller, _) -> controller.get("counts").text("ready")),
              column(
                  "OLDEST",
                  (controller, _) -> ResourceKinds.seconds(controller, "oldestReadySeconds")),
              column(
                  "LONGEST-RUN",
                  (controller, _) -> ResourceKinds.seconds(controller, "longestInFlightSeconds")),
              column("FAILING", (controller, _) -> controller.text("failing")),
              column("WAITING", (controller, _) -> controller.get("counts").text("waitingToken")),
              column("ADDED", (controller, _) -> controller.get("totals").text("added")),
              column("RETRIED", (controller, _) -> controller.get("totals").text("retried"))));

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
    Printer listing = context.printer(LOAD, false, false);
    Json list = context.get(AdminClient.path("controllers"));
    List<Json> sorted = new ArrayList<>(list.list("items"));
    sorted.sort(
        Comparator.comparingDouble(by)
            .reversed()
            .thenComparing(controller -> controller.text("name")));
    listing.page(list.with("items", sorted.stream().map(Json::value).toList()));
    listing.end("No controllers found.");
  }
}
