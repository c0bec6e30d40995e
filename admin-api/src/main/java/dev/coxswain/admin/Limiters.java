// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.retry.BudgetSnapshot;
import io.vertx.core.Future;
import java.util.Comparator;

/** Answers for limiters. Confined to the admin event loop. */
final class Limiters {

  private final ControllerDirectory directory;

  Limiters(ControllerDirectory directory) {
    this.directory = directory;
  }

  Future<Reply> list(Exchange exchange) {
    exchange.query().done();
    ObjectNode json = Json.object();
    json.put("kind", "LimiterList");
    json.put("replica", directory.replica());
    var items = json.putArray("items");
    directory.limiters().stream()
        .sorted(Comparator.comparing(BudgetSnapshot::name))
        .forEach(limiter -> items.add(ControllerView.limiter(limiter)));
    return Future.succeededFuture(Reply.ok(json));
  }

  Future<Reply> get(Exchange exchange) {
    exchange.query().done();
    String name = exchange.param("l");
    BudgetSnapshot limiter =
        directory.limiters().stream()
            .filter(candidate -> candidate.name().equals(name))
            .findFirst()
            .orElseThrow(() ->
                Problem.of(
                        404,
                        "limiter-not-found",
                        "Limiter not found",
                        "this replica has no limiter \""
                            + Json.line(name, 64)
                            + "\"; GET /api/v1/limiters lists those it has")
                    .rejection());
    return Future.succeededFuture(Reply.ok(ControllerView.limiter(limiter)));
  }
}
