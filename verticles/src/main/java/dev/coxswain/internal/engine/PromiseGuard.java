// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import io.vertx.core.Promise;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks of the event loop that complete a promise, and contains what they throw. */
final class PromiseGuard {
  private static final Logger log = LoggerFactory.getLogger(PromiseGuard.class);

  private PromiseGuard() {}

  /** Fails the promise when the body throws; if it is complete already, its handler threw. */
  static void run(Promise<?> promise, Runnable body) {
    try {
      body.run();
    } catch (Throwable e) {
      if (!promise.tryFail(e)) {
        log.atError().setCause(e).log("handler of a controller future failed");
      }
    }
  }
}
