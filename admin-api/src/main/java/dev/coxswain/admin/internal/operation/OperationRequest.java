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
 * The body of {@code POST .../operations}. Immutable.
 *
 * @param bulk the request to the controller
 * @param label the action in the spelling of the API
 * @param reason empty only for a dry run
 * @param needsSpread whether items become due and {@code spreadOver} is absent
 * @param confirmToken the token of a preview, or null
 */
public record OperationRequest(
    BulkRequest bulk,
    String label,
    String reason,
    boolean needsSpread,
    @Nullable String confirmToken) {

  private static final String REQUEUE_AFTER = "requeueAfter";

  /**
   * Reads a request.
   *
   * @param itemsPerSecond the default rate
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
    String token = body.text("confirmToken", 1, ConfirmTokens.MAX_LENGTH);
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

  /** Returns the required right; a flush without requeue requires one of its own. */
  String verb() {
    return destructive() && bulk.then() == Then.NONE ? "flushhard" : label;
  }

  /** Returns the one namespace of its items, empty for all of them. */
  String namespace() {
    String namespace = bulk.filter().namespace();
    return namespace == null ? "" : namespace;
  }

  /** Returns whether it removes pending work. */
  boolean destructive() {
    return bulk.action() == Action.FLUSH;
  }

  /** Returns all parameters that decide its effect, except {@code asOfSeq}. */
  public List<String> fingerprint() {
    ItemFilter filter = bulk.filter();
    return List.of(
        bulk.action().name(),
        filter.phases().stream().sorted().toList().toString(),
        String.valueOf(filter.failing()),
        String.valueOf(filter.minFailures()),
        filter.namespace() == null ? "-" : "+" + filter.namespace(),
        filter.nameGlob() == null ? "-" : "+" + filter.nameGlob(),
        String.valueOf(filter.olderThan()),
        String.valueOf(filter.readyBefore()),
        filter.errorClass() == null ? "-" : "+" + filter.errorClass(),
        filter.cause() == null ? "-" : "+" + filter.cause(),
        filter.labelSelector() == null ? "-" : "+" + filter.labelSelector(),
        bulk.then().name(),
        bulk.delay().toString(),
        needsSpread ? "-" : bulk.spreadOver().toString(),
        String.valueOf(bulk.keepFailures()),
        String.valueOf(bulk.dropDirty()),
        String.valueOf(bulk.itemsPerSecond()));
  }

  /** Returns this request for the items of its preview, or for older ones if it is limited to them. */
  OperationRequest asOf(long seq) {
    ItemFilter filter = bulk.filter().withMaxSeq(Math.min(seq, bulk.filter().maxSeq()));
    BulkRequest limited =
        with(
            filter,
            bulk.dryRun(),
            bulk.maxAffected(),
            bulk.then(),
            bulk.spreadOver(),
            bulk.itemsPerSecond());
    return new OperationRequest(limited, label, reason, needsSpread, confirmToken);
  }

  /** Returns the request that only counts the items. */
  BulkRequest counting() {
    return with(
        bulk.filter(), true, bulk.maxAffected(), Then.NONE, Duration.ZERO, bulk.itemsPerSecond());
  }

  /**
   * Returns the request that changes the items.
   *
   * @param asOfSeq the youngest item that was counted
   * @param most nothing is changed when more items match at the start
   * @param spread the time over which due items are spread
   * @param parts the number of participants, which share the rate; each has at least one item per
   *     second
   */
  BulkRequest execution(long asOfSeq, int most, Duration spread, int parts) {
    return with(
        bulk.filter().withMaxSeq(asOfSeq),
        false,
        most,
        bulk.then(),
        spread,
        Math.max(1, bulk.itemsPerSecond() / parts));
  }

  private BulkRequest with(
      ItemFilter filter, boolean dryRun, int most, Then then, Duration spread, int rate) {
    return new BulkRequest(
        bulk.action(),
        filter,
        dryRun,
        most,
        bulk.keepFailures(),
        bulk.dropDirty(),
        then,
        bulk.delay(),
        spread,
        rate);
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
    return Action.FORGET; // not used: the fault is thrown first
  }

  /** An empty selector is usually a mistake, so it requires {@code all}. */
  private static void checkAll(Body body, ItemFilter filter) {
    boolean all = body.flag("all", false);
    if (filter.matchesEverything() && !all && !body.isFaulty("selector")) {
      body.fault(
          "selector", "matches every item; narrow it, or set \"all\": true to select all items");
    }
    if (!filter.matchesEverything() && all) {
      body.fault("all", "contradicts the selector; remove one of them");
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
              ? "is given twice; \"then\" has one already"
              : "is for requeue, and for flush with \"then\": \"requeueAfter\"");
    }
    if (flush.delay() != null) {
      return flush.delay();
    }
    return delay == null ? Duration.ZERO : delay;
  }

  /** The fields of a flush. */
  private record FlushPart(
      Then then, @Nullable Duration delay, boolean keepFailures, boolean dropDirty) {

    static FlushPart read(Body body, Action action) {
      String text = body.text("then", 1, 48);
      boolean keepFailures = body.flag("keepFailures", false);
      boolean dropDirty = body.flag("dropDirty", false);
      if (action != Action.FLUSH) {
        for (String field : List.of("then", "keepFailures", "dropDirty")) {
          if (body.has(field)) {
            body.fault(field, "is for flush only");
          }
        }
        return new FlushPart(Then.NONE, null, false, false);
      }
      Duration delay = null;
      String name = text == null ? "relist" : text;
      if (name.startsWith(REQUEUE_AFTER + "=")) {
        Duration given = body.duration("then", name.substring(REQUEUE_AFTER.length() + 1));
        delay = given == null ? Duration.ZERO : given;
        name = REQUEUE_AFTER;
      }
      Then then =
          switch (name) {
            case "none" -> Then.NONE;
            case "relist" -> Then.RELIST;
            case REQUEUE_AFTER -> Then.REQUEUE_AFTER;
            default -> {
              body.fault(
                  "then",
                  "must be none, relist or requeueAfter (with \"delay\", or as"
                      + " \"requeueAfter=10m\"), found \""
                      + name
                      + "\"");
              yield Then.NONE;
            }
          };
      return new FlushPart(then, delay, keepFailures, dropDirty);
    }
  }
}
