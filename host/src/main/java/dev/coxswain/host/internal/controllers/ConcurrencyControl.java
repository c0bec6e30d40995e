// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.internal.controllers.ControllerSetup.Build;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The concurrency of a running controller, which the configuration and the admin API can change. A
 * value of the admin API stays until the controller is started again.
 *
 * <p>Confined to the host's context.
 */
final class ConcurrencyControl {

  private static final Logger LOG = LoggerFactory.getLogger(ConcurrencyControl.class);

  private final ControllerSetup runtime;
  private final Context context;
  private @Nullable Build build;
  private @Nullable ControllerHandle handle;

  /** The value of the configuration, in force unless the admin API has set another one. */
  private int configured;

  /** Changes follow each other, so that the controller shows the value of the one before. */
  private Future<Void> last = Future.succeededFuture();

  ConcurrencyControl(ControllerSetup runtime, Context context) {
    this.runtime = runtime;
    this.context = context;
  }

  /** A controller runs; before the admin API can change it. */
  void started(Build started, ControllerHandle running) {
    build = started;
    handle = running;
    configured = running.status().concurrency();
    last = Future.succeededFuture();
    apply(); // the configuration may have changed meanwhile
  }

  /** Sets the concurrency of the configuration. Running attempts go on. */
  void apply() {
    Build of = build;
    ControllerHandle running = handle;
    if (of != null && running != null) {
      last = last.transform(_ -> change(of, running));
    }
  }

  private Future<Void> change(Build of, ControllerHandle running) {
    int before = configured;
    int wanted = runtime.concurrency(of);
    if (!running.equals(handle) || wanted == before) {
      return Future.succeededFuture();
    }
    configured = wanted;
    int now = running.status().concurrency();
    boolean kept = now != before;
    LOG.atInfo()
        .addKeyValue("controller", runtime.name())
        .addKeyValue("concurrency", kept ? now : wanted)
        .addKeyValue("configured", wanted)
        .log(kept ? "concurrency of the admin API stays" : "concurrency changed");
    Promise<Void> here = Promise.promise();
    if (kept) {
      here.complete();
    } else {
      running
          .setConcurrency(wanted)
          .onComplete(outcome -> context.runOnContext(_ -> here.handle(outcome)));
    }
    return here.future();
  }
}
