// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import static dev.coxswain.ctl.print.Kind.Column.column;

import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.Suggestions;
import dev.coxswain.ctl.client.AdminClient;
import dev.coxswain.ctl.print.Json;
import dev.coxswain.ctl.print.Kind;
import dev.coxswain.ctl.print.Kinds;
import dev.coxswain.ctl.print.Listing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** {@code top}: how much the controllers do, the busiest first. */
final class TopCommand {

  static final Flag SORT_BY =
      Flag.of("--sort-by", "WHAT", "rate (unless given), failing, ready, oldest, workers or name")
          .withChoices(List.of("rate", "failing", "ready", "oldest", "workers", "name"));

  private static final Kind LOAD =
      new Kind(
          "controller",
          "controllers",
          List.of(),
          controller -> controller.text("name"),
          List.of(
              column("NAME", (controller, _) -> controller.text("name")),
              column("RATE", (controller, _) -> Kinds.rate(controller, "1m")),
              column("RATE(5M)", (controller, _) -> Kinds.rate(controller, "5m")),
              column("RATE(1H)", (controller, _) -> Kinds.rate(controller, "1h")),
              column("WORKERS", (controller, _) -> Kinds.workers(controller)),
              column("READY", (controller, _) -> controller.get("counts").text("ready")),
              column("OLDEST", (controller, _) -> Kinds.seconds(controller, "oldestReadySeconds")),
              column(
                  "LONGEST-RUN",
                  (controller, _) -> Kinds.seconds(controller, "longestInFlightSeconds")),
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

  static void run(Call call) {
    List<String> words = call.words(0, "");
    if (!words.isEmpty() && !Kinds.CONTROLLER.isCalled(words.getFirst())) {
      throw new CtlException("top shows controllers only, found \"" + words.getFirst() + "\"");
    }
    String key = call.arguments().value(SORT_BY, "rate");
    ToDoubleFunction<Json> by = KEYS.get(key);
    if (by == null) {
      throw new CtlException(
          "flag --sort-by: unknown \"" + key + "\", " + Suggestions.of(key, KEYS.keySet()));
    }
    Listing listing = new Listing(LOAD, call.arguments(), call.around(), false, false);
    Json list = call.get(AdminClient.path("controllers"));
    List<Json> sorted = new ArrayList<>(list.list("items"));
    sorted.sort(
        Comparator.comparingDouble(by)
            .reversed()
            .thenComparing(controller -> controller.text("name")));
    listing.page(list.with("items", sorted.stream().map(Json::value).toList()));
    listing.end("No controllers found.");
  }
}
