// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.LoopOccupant;
import dev.coxswain.view.QueueSnapshot;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one running controller and acts on it. This is the whole read model and the whole set of
 * commands that an admin API needs.
 *
 * <p>Thread rule: any thread. No method blocks; futures complete on the controller's event loop
 * (hop to your own context). Long answers are made in slices, so that no question stalls the
 * controller. After the controller has stopped, questions are answered about what was left in its
 * queue, and actions are refused.
 */
public interface ControllerHandle {

  /** The largest page. */
  int MAX_PAGE = 500;

  /** Returns the name of the controller. */
  String name();

  /** Returns the options it was started with. */
  ControllerOptions options();

  /** Returns what it is doing; at most a moment old. */
  ControllerStatus status();

  /** Returns the mark of its turns on its event loop; empty when nothing marks them. */
  default Optional<LoopOccupant> occupant() {
    return Optional.empty();
  }

  /** Returns the counters of its queue; at most a moment old. */
  QueueSnapshot snapshot();

  /**
   * Returns whether the sources of the controller hold the objects that its items are about, so
   * that a filter may have a {@link ItemFilter#labelSelector}. False is the default.
   *
   * @param labelSelector which labels
   * @throws IllegalArgumentException when they cannot understand it, in words for whoever wrote it
   */
  default boolean selects(String labelSelector) {
    return false;
  }

  /**
   * Returns a page of items. Fails with an {@link IllegalArgumentException} when the filter has a
   * label selector and {@link #selects} is not true of it.
   *
   * @param filter which items
   * @param cursor where the page before ended, or null for the first page
   * @param limit the most items, from 1 to {@link #MAX_PAGE}
   */
  Future<ItemPage> list(ItemFilter filter, ItemPage.@Nullable Cursor cursor, int limit);

  /**
   * Returns one item, or empty when the request is neither in the queue nor kept after a terminal
   * failure.
   */
  Future<Optional<QueuedItem>> item(ItemId id);

  /**
   * Returns why no request can have this id, in a part of a sentence that follows "the name"; empty
   * when one can.
   */
  default Optional<String> impossible(ItemId id) {
    return Optional.empty();
  }

  /** Explains why a request is, or is not, being reconciled; also for one that is not tracked. */
  Future<Explanation> explain(ItemId id);

  /**
   * Adds a request, merging it as an event would be.
   *
   * @param id the request
   * @param delay how long to wait, zero for now
   */
  Future<ActionResult> add(ItemId id, Duration delay);

  /**
   * Makes an item due now, keeping its failures. A delayed item becomes ready without paying a
   * token, and so does one that failed terminally; one that waits for a token stays there; one in
   * flight runs once more.
   *
   * @param rev the revision the caller looked at, or null for any
   */
  Future<ActionResult> retry(ItemId id, @Nullable Long rev);

  /**
   * Resets an item's failures; its place and its time stay, unless {@code reschedule} makes a
   * delayed retry due now. One that failed terminally is forgotten, or becomes due now.
   */
  Future<ActionResult> forget(ItemId id, @Nullable Long rev, boolean reschedule);

  /** Gives an item a new time, earlier or later; one in flight runs once more after that. */
  Future<ActionResult> requeue(ItemId id, @Nullable Long rev, Duration delay);

  /**
   * Takes an item out of the queue; one in flight is left alone.
   *
   * @param by who dropped it, for its explanation; empty for nobody in particular
   */
  Future<ActionResult> drop(ItemId id, @Nullable Long rev, String by);

  /** Takes an item out of the queue; one in flight is left alone. */
  default Future<ActionResult> drop(ItemId id, @Nullable Long rev) {
    return drop(id, rev, "");
  }

  /**
   * Begins to do one thing with many items, or to count what it would do. Only items that are
   * tracked by now are affected, and none to which an event is added after that is flushed or
   * requeued. Its result fails as {@link #list} does for a label selector.
   *
   * @param by who flushed the items, for their explanations; empty for nobody in particular
   */
  BulkRun begin(BulkRequest request, String by);

  /** Begins to do one thing with many items, or to count what it would do. */
  default BulkRun begin(BulkRequest request) {
    return begin(request, "");
  }

  /** Does one thing with many items, or tells what it would do. */
  default Future<BulkResult> bulk(BulkRequest request) {
    return begin(request).result();
  }

  /**
   * Stops starting attempts; running ones go on, events are still taken in.
   *
   * @param reason why, for everybody to see
   * @param duration after which it resumes by itself, or null for never
   */
  Future<Void> pause(String reason, @Nullable Duration duration);

  /** Ends a pause; does nothing when there is none. */
  Future<Void> resume();

  /** Changes how many requests are reconciled at once, from 1 to the largest concurrency. */
  Future<Void> setConcurrency(int concurrency);

  /**
   * Stops the intake, waits for running attempts up to {@code limit}, then cancels them and waits a
   * moment more. May be called once; later calls return the same future.
   */
  Future<DrainReport> drain(Duration limit);
}
