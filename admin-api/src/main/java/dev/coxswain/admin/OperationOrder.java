// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.queue.ItemFilter;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a client orders with {@code POST .../operations}.
 *
 * @param request what the controller is asked for
 * @param label the action as the client wrote it
 * @param reason why, empty only for a dry run
 * @param needsSpread whether items become due and the client did not say over how long to spread
 */
record OperationOrder(BulkRequest request, String label, String reason, boolean needsSpread) {

  private static final String REQUEUE_AFTER = "requeueAfter";

  static OperationOrder read(Body body) {
    boolean dryRun = body.flag("dryRun", false);
    String reason = dryRun ? body.optionalReason() : body.reason();
    String label = body.requiredText("action", 32);
    Action action = action(body, label);
    Long asOfSeq = body.number("asOfSeq", 0, Long.MAX_VALUE);
    ItemFilter filter =
        ItemFilters.of(body.object("selector"), asOfSeq == null ? Long.MAX_VALUE : asOfSeq);
    checkAll(body, filter);
    Long maxAffected = body.number("maxAffected", 0, BulkRequest.MAX_AFFECTED);
    FlushPart flush = FlushPart.read(body, action);
    Duration delay = delay(body, action, flush);
    Duration spread = body.duration("spreadOver");
    boolean becomesDue = action == Action.RETRY || flush.then() == Then.RELIST;
    if (spread != null && !becomesDue) {
      body.fault("spreadOver", "is for retry, and for flush with \"then\": \"relist\"");
    }
    body.done();
    return new OperationOrder(
        new BulkRequest(
            action,
            filter,
            dryRun,
            maxAffected == null ? BulkRequest.MAX_AFFECTED : maxAffected.intValue(),
            flush.keepFailures(),
            flush.dropDirty(),
            flush.then(),
            delay,
            spread == null ? Duration.ZERO : spread),
        label,
        reason,
        becomesDue && spread == null);
  }

  static BulkRequest dryRun(BulkRequest request) {
    return new BulkRequest(
        request.action(),
        request.filter(),
        true,
        request.maxAffected(),
        request.keepFailures(),
        request.dropDirty(),
        request.then(),
        request.delay(),
        request.spreadOver());
  }

  private static Action action(Body body, String label) {
    for (Action action : Action.values()) {
      if (action.name().toLowerCase(Locale.ROOT).equals(label)) {
        return action;
      }
    }
    if (!label.isEmpty()) {
      body.fault(
          "action",
          "must be retry, forget, requeue or flush, found \"" + Json.line(label, 32) + "\"");
    }
    return Action.FORGET; // never run: the fault above is thrown first
  }

  /** An empty selector is more often a mistake than a wish, so it must be confirmed. */
  private static void checkAll(Body body, ItemFilter filter) {
    boolean all = body.flag("all", false);
    if (filter.matchesEverything() && !all) {
      body.fault(
          "selector", "leaves no item out; narrow it, or say \"all\": true if you mean everything");
    }
    if (!filter.matchesEverything() && all) {
      body.fault("all", "contradicts the selector; leave one of them out");
    }
  }

  private static Duration delay(Body body, Action action, FlushPart flush) {
    Duration delay = body.duration("delay");
    boolean wanted =
        action == Action.REQUEUE || (flush.then() == Then.REQUEUE_AFTER && flush.delay() == null);
    if (wanted && !body.has("delay")) {
      body.fault("delay", "is required to requeue");
    } else if (!wanted && body.has("delay")) {
      body.fault(
          "delay",
          flush.delay() != null
              ? "is given twice; it is already in \"then\""
              : "is for requeue, and for flush with \"then\": \"requeueAfter\"");
    }
    if (flush.delay() != null) {
      return flush.delay();
    }
    return delay == null ? Duration.ZERO : delay;
  }

  /** The fields that only a flush has. */
  private record FlushPart(
      Then then, @Nullable Duration delay, boolean keepFailures, boolean dropDirty) {

    static FlushPart read(Body body, Action action) {
      String then = body.text("then", 1, 48);
      boolean keepFailures = body.flag("keepFailures", false);
      boolean dropDirty = body.flag("dropDirty", false);
      if (action != Action.FLUSH) {
        for (String field : new String[] {"then", "keepFailures", "dropDirty"}) {
          if (body.has(field)) {
            body.fault(field, "is for flush only");
          }
        }
        return new FlushPart(Then.NONE, null, false, false);
      }
      if (then == null || then.equals("relist")) {
        return new FlushPart(Then.RELIST, null, keepFailures, dropDirty);
      }
      if (then.equals("none")) {
        return new FlushPart(Then.NONE, null, keepFailures, dropDirty);
      }
      if (then.equals(REQUEUE_AFTER)) {
        return new FlushPart(Then.REQUEUE_AFTER, null, keepFailures, dropDirty);
      }
      if (then.startsWith(REQUEUE_AFTER + "=")) {
        Duration delay = body.duration("then", then.substring(REQUEUE_AFTER.length() + 1));
        return new FlushPart(
            Then.REQUEUE_AFTER, delay == null ? Duration.ZERO : delay, keepFailures, dropDirty);
      }
      body.fault(
          "then",
          "must be none, relist or requeueAfter (with \"delay\", or as \"requeueAfter=10m\"), found"
              + " \""
              + then
              + "\"");
      return new FlushPart(Then.NONE, Duration.ZERO, keepFailures, dropDirty);
    }
  }
}
