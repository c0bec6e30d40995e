// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.storm;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Fails every attempt and writes down when each retry started.
 *
 * <p>Its part of the configuration: {@code starts}, the file to append to; {@code keys}, how many
 * requests there are.
 *
 * <p>Thread rule: as every definition, called on a virtual thread; its reconciler runs on the event
 * loop, so that nothing lies between the permit and the record.
 */
public final class StormController implements ControllerDefinition {

  /** The name of the controller. */
  public static final String NAME = "storm";

  /** Creates the definition; called by the host. */
  public StormController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) throws IOException {
    Map<String, Object> config = environment.config();
    StartLog starts = StartLog.open(Path.of(text(config, "starts")));
    int keys = Integer.parseInt(text(config, "keys"));
    return Controller.named(NAME)
        .watches(new StormSource(keys))
        .reconcilesAsync((_, context) -> reconcile(context, starts));
  }

  private static Future<Result> reconcile(ReconcileContext context, StartLog starts) {
    // What an event or a person started is no retry, whatever happened before.
    if (context.trigger() == Trigger.RETRY) {
      starts.retryStarted();
    }
    return Future.failedFuture(new StormFailure());
  }

  private static String text(Map<String, Object> config, String key) {
    Object value = config.get(key);
    if (value == null) {
      throw new IllegalArgumentException("controllers.storm.config." + key + " is missing");
    }
    return value.toString();
  }

  /** Without a stack trace: filling that in would be the only work of an attempt. */
  private static final class StormFailure extends Exception {
    private static final long serialVersionUID = 1;

    private StormFailure() {
      super("everything fails in this storm", null, false, false);
    }
  }
}
