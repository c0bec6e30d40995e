// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static dev.coxswain.admin.FakeController.START;

import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkResult.Ending;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueueSnapshot;
import dev.coxswain.view.QueuedItem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The items of a {@link FakeController}, in a plain map, and what it says of them: how many, which
 * are meant, what becomes of them.
 *
 * <p>Thread rule: guarded by the controller.
 */
public final class FakeItems {

  private final TreeMap<Integer, QueuedItem> items = new TreeMap<>(); // by hash, as a walk goes
  private long seq;

  /** Puts an item there, in the place of one of the same name, and returns its id. */
  public String put(
      String namespace, String name, Phase phase, int failures, @Nullable String error) {
    String id = new ItemId(namespace, name).encoded();
    boolean delayed = phase == Phase.DELAYED;
    items.put(
        hash(namespace, name),
        new QueuedItem(
            id,
            namespace,
            name,
            phase,
            failures,
            false,
            false,
            0,
            failures > 0 ? Trigger.RETRY : Trigger.EVENT,
            delayed ? null : START,
            delayed ? START.plusSeconds(60) : null,
            false,
            failures > 0 ? START.plusSeconds(60) : null,
            error,
            error == null ? null : START,
            error == null ? null : pattern(error).id(),
            error == null
                ? null
                : "java.lang.IllegalStateException\n\tat Vendor.call(Vendor.java:7)",
            ++seq,
            seq * 10));
    return id;
  }

  static FailurePattern pattern(String error) {
    int colon = error.indexOf(": ");
    return new FailurePattern(
        List.of(colon < 0 ? error : error.substring(0, colon)),
        colon < 0 ? "" : error.substring(colon + 2),
        "Vendor.call");
  }

  /** Returns the causes of the items that fail. */
  public List<CauseSnapshot> causes(Map<FailurePattern, ControllerStatus.Pause> paused) {
    Map<String, List<QueuedItem>> byError = new TreeMap<>();
    for (QueuedItem item : items.values()) {
      if (item.lastError() != null) {
        byError.computeIfAbsent(item.lastError(), _ -> new ArrayList<>()).add(item);
      }
    }
    List<CauseSnapshot> causes = new ArrayList<>();
    byError.forEach((error, failing) -> {
      FailurePattern pattern = pattern(error);
      causes.add(
          new CauseSnapshot(
              pattern.id(),
              pattern,
              failing.size(),
              2L * failing.size(),
              START,
              START.plusSeconds(failing.size()),
              Collections.nCopies(CauseSnapshot.TREND_STEPS, 1),
              failing.stream()
                  .limit(2)
                  .map(item -> new ItemId(item.namespace(), item.name()))
                  .toList(),
              "java.lang.IllegalStateException\n\tat Vendor.call(Vendor.java:7)",
              paused.get(pattern)));
    });
    return causes;
  }

  private static int hash(String namespace, String name) {
    return (namespace + "/" + name).hashCode() * 0x9E3779B9;
  }

  public int size() {
    return items.size();
  }

  @Nullable QueuedItem at(String id) {
    return items.values().stream().filter(item -> item.id().equals(id)).findFirst().orElse(null);
  }

  public void remove(String id) {
    items.values().removeIf(item -> item.id().equals(id));
  }

  public List<QueuedItem> all(Predicate<QueuedItem> meant) {
    return items.values().stream().filter(meant).toList();
  }

  public ItemPage page(Predicate<QueuedItem> meant, ItemPage.@Nullable Cursor cursor, int limit) {
    List<QueuedItem> page = new ArrayList<>();
    var rest = cursor == null ? items : items.tailMap(cursor.hash(), false);
    for (QueuedItem item : rest.values()) {
      if (page.size() == limit) {
        QueuedItem last = page.getLast();
        return new ItemPage(
            page, new ItemPage.Cursor(hash(last.namespace(), last.name()), last.seq()), seq);
      }
      if (meant.test(item)) {
        page.add(item);
      }
    }
    return new ItemPage(page, null, seq);
  }

  public QueueSnapshot snapshot() {
    Map<Phase, Integer> n = phases(items.values());
    return new QueueSnapshot(
        n.getOrDefault(Phase.READY, 0),
        n.getOrDefault(Phase.DELAYED, 0),
        n.getOrDefault(Phase.WAITING_TOKEN, 0),
        n.getOrDefault(Phase.IN_FLIGHT, 0),
        0,
        (int) items.values().stream().filter(QueuedItem::failing).count(),
        n.getOrDefault(Phase.TERMINAL, 0),
        0,
        0,
        seq,
        seq,
        0,
        0,
        1_500_000_000,
        0,
        0,
        null,
        START);
  }

  private static Map<Phase, Integer> phases(Collection<QueuedItem> items) {
    Map<Phase, Integer> phases = new EnumMap<>(Phase.class);
    items.forEach(item -> phases.merge(item.phase(), 1, Integer::sum));
    return phases;
  }

  /** Ages are those of an hour after {@link FakeController#START}. */
  public static boolean matches(ItemFilter filter, QueuedItem item) {
    return (filter.phases().isEmpty() || filter.phases().contains(item.phase()))
        && (filter.failing() == null || filter.failing() == item.failing())
        && item.failures() >= filter.minFailures()
        && (filter.namespace() == null || filter.namespace().equals(item.namespace()))
        && filter.matchesName(item.name())
        && item.seq() <= filter.maxSeq()
        && filter.matchesError(item.lastError())
        && (filter.cause() == null || filter.cause().equals(item.cause()))
        && (filter.olderThan() == null
            || (item.since() != null
                && !item.since().plus(filter.olderThan()).isAfter(START.plusSeconds(3600))))
        && (filter.readyBefore() == null || isReadyBefore(item, filter.readyBefore()));
  }

  private static boolean isReadyBefore(QueuedItem item, Instant limit) {
    Instant at = item.phase() == Phase.READY ? item.since() : item.nextAttemptAt();
    return at != null && at.isBefore(limit);
  }

  /** Says what becomes of the items: what is in flight is left alone. */
  public BulkResult result(BulkRequest request, List<QueuedItem> matched) {
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
