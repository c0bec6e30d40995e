// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.k8s.source.PeriodicSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;

/** One attempt, which never ends, not even when it is cancelled. */
public final class StuckController implements ControllerDefinition {

  static final String NAME = "stuck";

  /** What the attempt prints when it begins. */
  static final String BEGUN = "the attempt has begun";

  /** Creates the definition; called by the host. */
  public StuckController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    return Controller.named(NAME)
        .options(options -> options.withOwnership(Ownership.EVERYWHERE))
        .watches(
            new PeriodicSource<>(
                "one request", Duration.ofHours(1), () -> List.of(new Request("default", "one"))))
        .reconcilesAsync((request, context) -> {
          System.out.println(BEGUN);
          return Promise.<Result>promise().future();
        });
  }
}
