// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.view.ItemFilter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a client orders with {@code POST .../operations}.
 *
 * @param request what the controller is asked for
 * @param label the action as the client wrote it
 * @param reason why, empty only for a dry run
 * @param needsSpread whether items become due and the client did not say over how long to spread
 * @param confirmToken of the preview of this order, or null
 */
public record OperationRequest(
    BulkRequest request,
    String label,
    String reason,
    boolean needsSpread,
    @Nullable String confirmToken) {

  private static final String REQUEUE_AFTER = "requeueAfter";

  /**
   * Reads an order.
   *
   * @param itemsPerSecond the pace when it does not say
   */
  public static OperationRequest read(Body body, int itemsPerSecond) {
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
    Long pace = body.number("itemsPerSecond", 1, BulkRequest.MAX_AFFECTED);
    String token = body.text("confirmToken", 1, CombinedToken.MAX);
    body.done();
    return new OperationRequest(
        new BulkRequest(
            action,
            filter,
            dryRun,
            maxAffected == null ? BulkRequest.MAX_AFFECTED : maxAffected.intValue(),
            flush.keepFailures(),
            flush.dropDirty(),
            flush.then(),
            delay,
            spread == null ? Duration.ZERO : spread,
            pace == null ? itemsPerSecond : pace.intValue()),
        label,
        reason,
        becomesDue && spread == null,
        token);
  }

  /** Returns the right that it takes: a flush after which nothing comes back is more than one. */
  String verb() {
    return destructive() && request.then() == Then.NONE ? "flushhard" : label;
  }

  /** Returns the one namespace whose items it is about, empty for all of them. */
  String namespace() {
    String namespace = request.filter().namespace();
    return namespace == null ? "" : namespace;
  }

  /** Returns whether pending work is taken away. */
  boolean destructive() {
    return request.action() == Action.FLUSH;
  }

  /** Returns everything that decides what it does to which items, {@code asOfSeq} aside. */
  public List<String> fingerprint() {
    ItemFilter filter = request.filter();
    return List.of(
        request.action().name(),
        filter.phases().stream().sorted().toList().toString(),
        String.valueOf(filter.failing()),
        String.valueOf(filter.minFailures()),
        filter.namespace() == null ? "-" : "+" + filter.namespace(),
        filter.nameGlob() == null ? "-" : "+" + filter.nameGlob(),
        String.valueOf(filter.olderThan()),
        String.valueOf(filter.readyBefore()),
        filter.errorClass() == null ? "-" : "+" + filter.errorClass(),
        filter.labelSelector() == null ? "-" : "+" + filter.labelSelector(),
        request.then().name(),
        request.delay().toString(),
        needsSpread ? "-" : request.spreadOver().toString(),
        String.valueOf(request.keepFailures()),
        String.valueOf(request.dropDirty()),
        String.valueOf(request.itemsPerSecond()));
  }

  /** Returns this order for the items that its preview has seen, or for the older ones it names. */
  OperationRequest asOf(long seq) {
    long named = Math.min(seq, request.filter().maxSeq());
    return with(
        request.filter().withMaxSeq(named),
        request.dryRun(),
        request.maxAffected(),
        request.then(),
        request.spreadOver());
  }

  /** Returns what only counts the items. */
  BulkRequest counting() {
    return with(request.filter(), true, request.maxAffected(), Then.NONE, Duration.ZERO).request();
  }

  /**
   * Returns what is carried out.
   *
   * @param asOfSeq the youngest item that was counted
   * @param most nothing is changed when more items than this match by then
   * @param spread over how long items that become due are spread
   * @param parts how many replicas carry out a part of it: the pace is that of all together, or one
   *     item a second of each
   */
  BulkRequest execution(long asOfSeq, int most, Duration spread, int parts) {
    return with(
            request.filter().withMaxSeq(asOfSeq),
            false,
            most,
            request.then(),
            spread,
            Math.max(1, request.itemsPerSecond() / parts))
        .request();
  }

  private OperationRequest with(
      ItemFilter filter, boolean dryRun, int most, Then then, Duration spread) {
    return with(filter, dryRun, most, then, spread, request.itemsPerSecond());
  }

  private OperationRequest with(
      ItemFilter filter, boolean dryRun, int most, Then then, Duration spread, int pace) {
    return new OperationRequest(
        new BulkRequest(
            request.action(),
            filter,
            dryRun,
            most,
            request.keepFailures(),
            request.dropDirty(),
            then,
            request.delay(),
            spread,
            pace),
        label,
        reason,
        needsSpread,
        confirmToken);
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
