// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.controller;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.source.PeriodicSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/** One request, as soon as it runs; with the default ownership. */
public final class LeadingController implements ControllerDefinition {

  public static final String NAME = "leading";

  /** Creates the definition; called by the host. */
  public LeadingController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    return Controller.named(NAME)
        .watches(
            new PeriodicSource<>(
                "one request", Duration.ofHours(1), () -> List.of(new Request("default", "one"))))
        .reconcilesAsync((request, context) -> Future.succeededFuture(Result.done()));
  }
}
