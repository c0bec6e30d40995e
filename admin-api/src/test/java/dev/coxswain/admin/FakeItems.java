// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkResult.Ending;
import dev.coxswain.queue.ItemFilter;
import dev.coxswain.queue.Phase;
import dev.coxswain.queue.QueueSnapshot;
import dev.coxswain.queue.QueuedItem;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a {@link FakeController} says of its items: how many, which are meant, what becomes of them.
 */
final class FakeItems {

  private FakeItems() {}

  static QueueSnapshot snapshot(Collection<QueuedItem> items, long seq) {
    Map<Phase, Integer> n = phases(items);
    return new QueueSnapshot(
        n.getOrDefault(Phase.READY, 0),
        n.getOrDefault(Phase.DELAYED, 0),
        n.getOrDefault(Phase.WAITING_TOKEN, 0),
        n.getOrDefault(Phase.IN_FLIGHT, 0),
        0,
        (int) items.stream().filter(QueuedItem::failing).count(),
        0,
        seq,
        seq,
        0,
        0,
        1_500_000_000,
        0,
        0,
        null,
        FakeController.START);
  }

  private static Map<Phase, Integer> phases(Collection<QueuedItem> items) {
    Map<Phase, Integer> phases = new EnumMap<>(Phase.class);
    items.forEach(item -> phases.merge(item.phase(), 1, Integer::sum));
    return phases;
  }

  /** Ages are those of an hour after {@link FakeController#START}. */
  static boolean matches(ItemFilter filter, QueuedItem item) {
    return (filter.phases().isEmpty() || filter.phases().contains(item.phase()))
        && (filter.failing() == null || filter.failing() == item.failing())
        && item.failures() >= filter.minFailures()
        && (filter.namespace() == null || filter.namespace().equals(item.namespace()))
        && filter.matchesName(item.name())
        && item.seq() <= filter.maxSeq()
        && filter.matchesError(item.lastError())
        && (filter.olderThan() == null
            || (item.since() != null
                && !item.since()
                    .plus(filter.olderThan())
                    .isAfter(FakeController.START.plusSeconds(3600))))
        && (filter.readyBefore() == null || isReadyBefore(item, filter.readyBefore()));
  }

  private static boolean isReadyBefore(QueuedItem item, Instant limit) {
    Instant at = item.phase() == Phase.READY ? item.since() : item.nextAttemptAt();
    return at != null && at.isBefore(limit);
  }

  /** Says what becomes of the items: what is in flight is left alone. */
  static BulkResult result(BulkRequest request, List<QueuedItem> matched, long seq) {
    boolean aborted = !request.dryRun() && matched.size() > request.maxAffected();
    Map<Phase, Integer> phases = phases(matched);
    int inFlight = phases.getOrDefault(Phase.IN_FLIGHT, 0);
    int changed = request.dryRun() || aborted ? 0 : matched.size() - inFlight;
    return new BulkResult(
        request.dryRun(),
        aborted ? Ending.TOO_MANY : Ending.COMPLETE,
        new BulkProgress(
            matched.size(),
            changed,
            inFlight > 0 && changed > 0 ? Map.of("in flight", inFlight) : Map.of(),
            0,
            0,
            0),
        null,
        phases,
        Map.of(),
        matched.stream().limit(10).map(i -> i.namespace() + "/" + i.name()).toList(),
        Math.min(seq, request.filter().maxSeq()));
  }
}
