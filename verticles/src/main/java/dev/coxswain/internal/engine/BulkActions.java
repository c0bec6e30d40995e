// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkResult.Ending;
import dev.coxswain.internal.history.HistoryEntry;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.spi.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The running bulk actions of one controller.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class BulkActions<K> {

  private final SourceGroup<K> sources;
  private final WorkQueue<K> queue;
  private final QueueReader<K> reader;
  private final ReconcileLoop<K> loop;
  private final Clock clock;
  private final EngineThreads threads;
  private final Map<BulkTicket, BulkAction<K>> active = new LinkedHashMap<>();

  BulkActions(
      SourceGroup<K> sources,
      WorkQueue<K> queue,
      QueueReader<K> reader,
      ReconcileLoop<K> loop,
      Clock clock,
      EngineThreads threads) {
    this.sources = sources;
    this.queue = queue;
    this.reader = reader;
    this.loop = loop;
    this.clock = clock;
    this.threads = threads;
  }

  void begin(BulkRequest request, String by, String reason, BulkTicket ticket) {
    try {
      BulkAction<K> action =
          new BulkAction<>(
              request,
              new HistoryEntry.Removal(true, by, reason),
              queue,
              reader,
              sources::holds,
              loop,
              clock,
              threads,
              ticket,
              () -> active.remove(ticket));
      active.put(ticket, action);
      action.begin();
    } catch (Throwable e) {
      active.remove(ticket);
      ticket.fail(e);
    }
  }

  void stop(BulkTicket ticket) {
    BulkAction<K> action = active.get(ticket);
    if (action != null) {
      action.end(Ending.STOPPED);
    }
  }

  /** Ends all actions that still change items. */
  void controllerStops() {
    for (BulkAction<K> action : List.copyOf(active.values())) {
      if (!action.dryRun()) {
        action.end(Ending.CONTROLLER_STOPS);
      }
    }
  }
}
