// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.internal.loop.ClassNames;
import io.vertx.core.Context;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The starts of one controller that failed, and the timer of the next one: after 0.5 s, doubling to
 * a minute.
 *
 * <p>Thread rule: confined to the context of the manager.
 */
final class StartRetry {

  private static final Logger LOG = LoggerFactory.getLogger(StartRetry.class);
  private static final long FIRST_MILLIS = 500;
  private static final long MAX_MILLIS = 60_000;

  private final ControllerSetup setup;
  private final Context context;
  private final Runnable countFailure;
  private int attempts;

  /** The failure whose stack trace was logged. */
  private String traced = "";

  private long timer = -1;

  StartRetry(ControllerSetup setup, Context context, Runnable countFailure) {
    this.setup = setup;
    this.context = context;
    this.countFailure = countFailure;
  }

  /** Returns whether the next start waits for its time. */
  boolean isWaiting() {
    return timer >= 0;
  }

  /** Logs and counts a failed start, and starts the timer of the next one. */
  FailedController failed(Throwable cause, Runnable next) {
    attempts++;
    countFailure.run();
    long delay = Math.min(MAX_MILLIS, FIRST_MILLIS << Math.min(attempts - 1, Integer.SIZE / 2));
    String error = describe(cause);
    LOG.atError()
        .addKeyValue("controller", setup.name())
        .addKeyValue("attempt", attempts)
        .addKeyValue("retryInMs", delay)
        .addKeyValue("error", error)
        // A wrong configuration fails in the same way for good.
        .setCause(error.equals(traced) ? null : cause)
        .log("controller start failed, retrying");
    traced = error;
    cancel();
    timer =
        setup
            .host()
            .setTimer(
                delay,
                _ ->
                    context.runOnContext(_ -> {
                      timer = -1;
                      next.run();
                    }));
    return new FailedController(
        setup.name(),
        error,
        setup.clock().instant(),
        attempts,
        setup.clock().instant().plusMillis(delay));
  }

  /** Logs and counts a start that goes on after its time limit: nothing is started again. */
  FailedController notSynced(String reason) {
    attempts++;
    countFailure.run();
    LOG.atError()
        .addKeyValue("controller", setup.name())
        .addKeyValue("reason", reason)
        .log("controller not synced within its time limit, its sources continue to try");
    return new FailedController(setup.name(), reason, setup.clock().instant(), attempts, null);
  }

  private static String describe(Throwable cause) {
    String message = cause.getMessage();
    return message == null || message.isBlank() || cause instanceof LinkageError
        ? ClassNames.describe(cause)
        : message;
  }

  void succeeded() {
    attempts = 0;
    traced = "";
  }

  void cancel() {
    if (timer >= 0) {
      setup.host().cancelTimer(timer);
      timer = -1;
    }
  }
}
