// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.spi.MovedItem;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.LoopOccupant;
import dev.coxswain.view.QueueSnapshot;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The read model and the commands of one running controller, for an admin API.
 *
 * <p>Thread rule: any thread. No method blocks; futures complete on the controller's event loop.
 * Long reads run in slices, so that none blocks the controller. After the controller has stopped,
 * reads return what was left in its queue, and actions are refused.
 */
public interface ControllerHandle {

  /** The largest page of {@link #list}. */
  int MAX_PAGE = 500;

  /** Returns the name of the controller. */
  String name();

  /** Returns the options it was started with. */
  ControllerOptions options();

  /**
   * Returns the namespaces that the deployment lets it watch; empty, the default, for all. Requests of
   * others are dropped.
   */
  default Set<String> watchNamespaces() {
    return Set.of();
  }

  /** Returns the status of the controller; at most a moment old. */
  ControllerStatus status();

  /** Returns the mark of its turns on the event loop; empty when they are not marked. */
  default Optional<LoopOccupant> occupant() {
    return Optional.empty();
  }

  /** Returns the counters of its queue; at most a moment old. */
  QueueSnapshot snapshot();

  /**
   * Returns whether a filter may have a {@link ItemFilter#labelSelector}: whether the sources of
   * the controller hold the objects of its items. False is the default.
   *
   * @param labelSelector the labels
   * @throws IllegalArgumentException when the selector cannot be parsed; the message explains why
   */
  default boolean selects(String labelSelector) {
    return false;
  }

  /**
   * Returns a page of items. Fails with an {@link IllegalArgumentException} when the filter has a
   * label selector that {@link #selects} does not accept.
   *
   * @param filter the items
   * @param cursor the cursor of the page before, or null for the first page
   * @param limit the maximum number of items, from 1 to {@link #MAX_PAGE}
   */
  Future<ItemPage> list(ItemFilter filter, ItemPage.@Nullable Cursor cursor, int limit);

  /**
   * Returns one item, or empty when the request is neither in the queue nor kept after a terminal
   * failure.
   */
  Future<Optional<QueuedItem>> item(ItemId id);

  /**
   * Returns why no request can have this id, as the end of a sentence that begins with "the name";
   * empty when one can.
   */
  default Optional<String> impossible(ItemId id) {
    return Optional.empty();
  }

  /** Explains why a request is, or is not, being reconciled; also for one that is not tracked. */
  Future<Explanation> explain(ItemId id);

  /**
   * Returns the causes of its failures, in no order: those that items fail of now, and those of the
   * last day. There are at most a thousand, further ones are counted together as {@link
   * FailurePattern#OTHER}. Without an engine behind it, there are none.
   */
  default Future<List<CauseSnapshot>> causes() {
    return causes(_ -> true);
  }

  /**
   * Returns some of the causes of its failures, in no order.
   *
   * @param wanted whether a cause with this {@link FailurePattern#number} is wanted; called on the event loop of the controller
   */
  default Future<List<CauseSnapshot>> causes(LongPredicate wanted) {
    return Future.succeededFuture(List.of());
  }

  /** Returns the counts of all its causes, in no order; that costs far less than {@link #causes()}. */
  default Future<List<CauseSnapshot.Count>> causeCounts() {
    return Future.succeededFuture(List.of());
  }

  /**
   * Adds a request, merging it as an event would be. It is skipped when the request is due already,
   * or earlier.
   *
   * @param id the request
   * @param delay how long to wait, zero for now
   */
  Future<ActionResult> add(ItemId id, Duration delay);

  /**
   * Merges the state of a request that was queued elsewhere, such as in a former run of the
   * controller: its failures are kept, and the earlier time wins. Without an engine behind it, the
   * request is added.
   *
   * @return whether the request is accepted; false when its namespace is not watched, or its slot is
   *     closed here
   */
  default Future<Boolean> restore(MovedItem item) {
    return add(new ItemId(item.namespace(), item.name()), item.due())
        .map(result ->
            result instanceof ActionResult.Applied || result instanceof ActionResult.Skipped);
  }

  /**
   * Makes an item due now, keeping its failures. A delayed item becomes ready without paying a
   * token, and so does one that failed terminally; an item that waits for a token stays there; an
   * item in flight runs once more.
   *
   * @param rev the revision that the item must have, or null for any
   */
  Future<ActionResult> retry(ItemId id, @Nullable Long rev);

  /**
   * Resets the failures of an item. Its phase and time do not change, unless {@code reschedule}
   * makes a delayed retry due now. An item that failed terminally is removed, or becomes due now.
   */
  Future<ActionResult> forget(ItemId id, @Nullable Long rev, boolean reschedule);

  /** Gives an item a new time, earlier or later; an item in flight runs once more after that. */
  Future<ActionResult> requeue(ItemId id, @Nullable Long rev, Duration delay);

  /**
   * Takes an item out of the queue, unless it is in flight.
   *
   * @param by the actor, for the explanation of the item; may be empty
   * @param reason the actor's reason, for the same; may be empty
   */
  Future<ActionResult> drop(ItemId id, @Nullable Long rev, String by, String reason);

  /** Takes an item out of the queue, unless it is in flight. */
  default Future<ActionResult> drop(ItemId id, @Nullable Long rev) {
    return drop(id, rev, "", "");
  }

  /**
   * Begins an action on many items, or a count of them. Only items that are tracked by now are
   * affected, and no item to which an event is added after that is flushed or requeued. The result
   * fails as {@link #list} does for a label selector.
   *
   * @param by the actor, for the explanations of flushed items; may be empty
   * @param reason the actor's reason, for the same; may be empty
   */
  BulkRun begin(BulkRequest request, String by, String reason);

  /** Begins an action on many items, or a count of them. */
  default BulkRun begin(BulkRequest request) {
    return begin(request, "", "");
  }

  /** Runs an action on many items, or a count of them, and returns its result. */
  default Future<BulkResult> bulk(BulkRequest request) {
    return begin(request).result();
  }

  /**
   * Stops starting attempts; running ones go on, and events are still accepted.
   *
   * @param pause the pause, as {@link #status} then has it; it resumes automatically at its end
   */
  Future<Void> pause(ControllerStatus.Pause pause);

  /**
   * Stops starting attempts from now on, as {@link #pause(ControllerStatus.Pause)} does.
   *
   * @param reason the reason, for display
   * @param by the actor, for display; may be empty
   * @param duration until it resumes automatically, or null for never
   */
  Future<Void> pause(String reason, String by, @Nullable Duration duration);

  /** Stops starting attempts, without an actor. */
  default Future<Void> pause(String reason, @Nullable Duration duration) {
    return pause(reason, "", duration);
  }

  /** Ends a pause; does nothing when there is none. */
  Future<Void> resume();

  /**
   * Sets the pauses of causes, in place of those before: an item whose last failure has one of these
   * causes is not retried until its pause ends. An event, and a retry by an operator, start an
   * attempt of it all the same. A cause that is paused already keeps its items where they are.
   * Without an engine behind it, this fails.
   *
   * @param pauses the pauses, with their ends; at most one for each cause
   */
  default Future<Void> pauseCauses(Map<FailurePattern, ControllerStatus.Pause> pauses) {
    return Future.failedFuture(new UnsupportedOperationException("causes cannot be paused"));
  }

  /** Changes how many requests are reconciled at once, from 1 to the largest concurrency. */
  Future<Void> setConcurrency(int concurrency);

  /**
   * Stops accepting requests, waits for running attempts up to {@code limit}, then cancels them and
   * waits a moment more. May be called once; later calls return the same future.
   */
  Future<DrainReport> drain(Duration limit);
}
