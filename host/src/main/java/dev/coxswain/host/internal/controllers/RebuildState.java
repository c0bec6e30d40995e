// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.internal.time.Durations;
import io.vertx.core.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a controller while it is built again: its caches, and the requests of its former
 * runs.
 *
 * <p>Thread rule: confined to the context of the manager.
 */
final class RebuildState {

  /** Beside two drains, for the author's code, which has no time limit of its own. */
  private static final Duration SPARE = Duration.ofMinutes(1);

  private final ControllerSetup setup;
  private final Context context;
  private @Nullable Runnable heldCaches;
  private long timer = -1;

  /** The runs whose requests the present one does not have yet. */
  private final List<ControllerHandle> former = new ArrayList<>();

  RebuildState(ControllerSetup setup, Context context) {
    this.setup = setup;
    this.context = context;
  }

  /**
   * Keeps the caches until {@link #settled}, and the requests of a run until they have been passed on.
   *
   * @param leaving the run that ends; null for none. One that has not synced has requests as well: of a
   *     callback, of an operator, and of the run before it
   */
  void begin(@Nullable ControllerHandle leaving, Duration drainLimit) {
    if (heldCaches == null) {
      Runnable release = setup.holdCaches();
      heldCaches = release;
      // While caches are held, no cache of this process is closed. A definition that never returns
      // must not keep those of all others.
      long limit = Durations.toMillis(Durations.clamp(drainLimit).multipliedBy(2).plus(SPARE));
      timer = setup.host().setTimer(limit, _ -> context.runOnContext(_ -> release.run()));
    }
    if (leaving != null && !former.contains(leaving)) {
      former.add(leaving);
    }
  }

  /**
   * Passes the requests of the former runs to a run whose slots are open. It attempts nothing before its
   * sources have synced, so failures and delays are there first.
   *
   * @param present whether that run is still the present one; the next one receives them otherwise
   */
  void passTo(ControllerHandle running, BooleanSupplier present) {
    for (ControllerHandle one : List.copyOf(former)) {
      LeftRequests.pass(one, running, setup.clock())
          .onComplete(_ ->
              context.runOnContext(_ -> {
                if (present.getAsBoolean()) {
                  former.remove(one);
                }
              }));
    }
  }

  /** The next run does not need them: it lists its objects, or there is none. */
  void forgetRequests() {
    former.clear();
  }

  /** It has been built again, or waits for its next try. */
  void settled() {
    Runnable held = heldCaches;
    if (held != null) {
      heldCaches = null;
      setup.host().cancelTimer(timer);
      held.run();
    }
  }
}
