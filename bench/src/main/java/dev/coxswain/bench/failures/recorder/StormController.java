// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.recorder;

import dev.coxswain.bench.run.BenchConfig;
import dev.coxswain.bench.run.StartSource;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.testing.report.RecordLog;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A controller that fails every attempt and records the start of each retry.
 *
 * <p>Its part of the configuration: {@code starts}, the file to append to; {@code keys}, how many
 * requests there are.
 *
 * <p>Thread rule: as every definition, called on a virtual thread; its reconciler runs on the event
 * loop, so that nothing lies between the permit and the record.
 */
public final class StormController implements ControllerDefinition {
  public static final String NAME = "storm";

  public StormController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) throws IOException {
    BenchConfig config = new BenchConfig(NAME, environment);
    RecordLog starts = RecordLog.open(Path.of(config.text("starts")));
    int keys = config.number("keys");
    return Controller.named(NAME)
        .watches(new StartSource<>(keys + " requests that fail", sink -> add(sink, keys)))
        .reconcilesAsync((_, context) -> reconcile(context, starts));
  }

  private static Future<Result> reconcile(ReconcileContext context, RecordLog starts) {
    // An attempt that an event or an operator caused is no retry.
    if (context.trigger() == Trigger.RETRY) {
      starts.append(Long.toString(System.nanoTime()));
    }
    return Future.failedFuture(new StormFailure());
  }

  private static Future<Void> add(EventSink<Request> sink, int keys) {
    for (int i = 0; i < keys; i++) {
      sink.add(Request.of("storm", "object-" + i), EventSink.PRIORITY_LOW, Trigger.INITIAL_LIST);
    }
    return Future.succeededFuture();
  }

  /** Without a stack trace: filling that in would be the only work of an attempt. */
  private static final class StormFailure extends Exception {
    private static final long serialVersionUID = 1;

    private StormFailure() {
      super("everything fails in this storm", null, false, false);
    }
  }
}
