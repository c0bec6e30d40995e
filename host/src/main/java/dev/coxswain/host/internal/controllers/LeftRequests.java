// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The requests that a stopped controller has left in its queue, for the same controller that was
 * built again. Its sources list what exists; what was deleted, or has no object, would be lost, and
 * with all others the number of their failures.
 *
 * <p>Thread rule: any thread.
 */
final class LeftRequests {

  private static final Logger LOG = LoggerFactory.getLogger(LeftRequests.class);

  private final ControllerHandle from;
  private final ControllerHandle to;
  private final Clock clock;

  /** By their names; of an error without one, the next attempt finds the cause. */
  private final Map<String, FailurePattern> causes = new HashMap<>();

  /** Counted by one page after the other. */
  private int passed;

  private int dropped;

  private LeftRequests(ControllerHandle from, ControllerHandle to, Clock clock) {
    this.from = from;
    this.to = to;
    this.clock = clock;
  }

  /**
   * Merges them into the queue of the new controller, with their failures and what is left of their
   * delays; what its sources have delivered is due now. Those of namespaces that it does not watch are
   * dropped, and counted in the log.
   *
   * @param from the stopped controller
   * @param to the one that runs, and has synced
   */
  static Future<Void> pass(ControllerHandle from, ControllerHandle to, Clock clock) {
    LeftRequests left = new LeftRequests(from, to, clock);
    return from.causes()
        .recover(_ -> Future.succeededFuture(List.of()))
        .compose(causes -> {
          causes.forEach(cause -> left.causes.put(cause.id(), cause.pattern()));
          return left.passFrom(null);
        })
        .onComplete(done ->
            LOG.atLevel(done.succeeded() ? Level.INFO : Level.WARN)
                .addKeyValue("controller", to.name())
                .addKeyValue("kept", left.passed)
                .addKeyValue("dropped", left.dropped)
                .setCause(done.cause())
                .log(
                    "requests of the former queue passed on, without those of other namespaces and slots"));
  }

  private Future<Void> passFrom(ItemPage.@Nullable Cursor cursor) {
    return from.list(ItemFilter.ALL, cursor, ControllerHandle.MAX_PAGE)
        .compose(page -> {
          List<Future<Boolean>> adds =
              page.items().stream().filter(item -> item.phase().queued()).map(this::pass).toList();
          return Future.join(adds)
              .compose(_ -> {
                int kept = (int) adds.stream().filter(Future::result).count();
                passed += kept;
                dropped += adds.size() - kept;
                ItemPage.Cursor next = page.next();
                return next == null ? Future.succeededFuture() : passFrom(next);
              });
        });
  }

  /** Returns whether the new controller has the request. */
  private Future<Boolean> pass(QueuedItem item) {
    return to.restore(moved(item))
        .recover(cause -> {
          // The format of a request is user code; the others are passed on all the same.
          LOG.atWarn()
              .addKeyValue("controller", to.name())
              .addKeyValue("namespace", item.namespace())
              .addKeyValue("name", item.name())
              .setCause(cause)
              .log("request of the former queue not passed on");
          return Future.succeededFuture(false);
        });
  }

  private MovedItem moved(QueuedItem item) {
    Instant due = item.nextAttemptAt();
    String error = item.lastError();
    return new MovedItem(
        item.namespace(),
        item.name(),
        item.failures(),
        item.phase() == Phase.WAITING_TOKEN || item.trigger() == Trigger.RETRY,
        due == null ? Duration.ZERO : Duration.between(clock.instant(), due),
        item.priority(),
        error == null ? "" : error,
        item.cause() == null ? null : causes.get(item.cause()));
  }
}
