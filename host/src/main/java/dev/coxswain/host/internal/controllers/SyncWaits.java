// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait of slots until a controller has synced, or until one of its sources could not deliver for
 * too long: its kind may not be installed, on no replica.
 *
 * <p>Thread rule: confined to the host's context.
 */
final class SyncWaits {

  /** When a source has waited for what it reads for so long, its controller is not waited for. */
  private static final long PATIENCE = Duration.ofSeconds(10).toNanos();

  private static final long LOOK_MILLIS = 500;

  private final ControllerSetup runtime;
  private final Context context;

  /** Completed when it has synced in the present deployment, or in the next one. */
  private Promise<Void> synced = Promise.promise();

  /** Whether a source of the present deployment cannot deliver for now. */
  private BooleanSupplier sourceWaits = () -> false;

  /** Since when it could not in each look at it; null when it could in the last one. */
  private @Nullable Long waitsSince;

  SyncWaits(ControllerSetup runtime, Context context) {
    this.runtime = runtime;
    this.context = context;
  }

  /** It was deployed. */
  void deployed(BooleanSupplier sourceWaits) {
    this.sourceWaits = sourceWaits;
    waitsSince = null;
  }

  /** Nothing waits for the present deployment any more: it has synced, or will not. */
  void end() {
    synced.tryComplete();
  }

  /** Its deployment has ended: what waits for it need not wait for the next one. */
  void undeployed() {
    end();
    synced = Promise.promise();
  }

  /**
   * Completes at the end of the wait.
   *
   * @param syncing whether it is syncing
   */
  Future<Void> await(BooleanSupplier syncing) {
    if (synced.future().isComplete()) {
      return Future.succeededFuture();
    }
    Promise<Void> promise = Promise.promise();
    synced.future().onComplete(_ -> promise.tryComplete());
    look(syncing, promise);
    return promise.future();
  }

  private void look(BooleanSupplier syncing, Promise<Void> promise) {
    if (!syncing.getAsBoolean() || !sourceWaits.getAsBoolean()) {
      waitsSince = null; // a list that was repeated is under way, and needs its time
    } else if (waitsSince == null) {
      waitsSince = runtime.clock().nanos();
    } else if (runtime.clock().nanos() - waitsSince >= PATIENCE) {
      promise.tryComplete();
    }
    if (!promise.future().isComplete()) {
      runtime.host().setTimer(LOOK_MILLIS, _ -> context.runOnContext(_ -> look(syncing, promise)));
    }
  }
}
