// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkRun;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One operation, running or over. Confined to the admin event loop. */
public final class Operation {

  /** Where an operation is in its life. */
  public enum State {
    RUNNING("Running"),
    /** Every item was dealt with. */
    SUCCEEDED("Succeeded"),
    /** Some items were dealt with; some failed, or the controller stopped before all were. */
    PARTIALLY_SUCCEEDED("PartiallySucceeded"),
    /** Nothing was changed. */
    FAILED("Failed"),
    /** It was stopped; what was done stays done. */
    CANCELLED("Cancelled");

    private final String label;

    State(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /** Who stopped it and why. */
  record Stop(String actor, String reason, Instant at) {}

  private OperationHeader ticket;
  private final String controller;
  private final OperationRequest order;
  private final String actor;
  private final Instant startedAt;
  private final int expected;
  private final BulkRun run;
  private final Promise<Operation> ended = Promise.promise();
  private State state = State.RUNNING;
  private @Nullable BulkResult result;
  private @Nullable Instant endedAt;
  private @Nullable String detail;
  private @Nullable Stop stop;

  /**
   * Creates a running operation.
   *
   * @param expected how many items were counted before it began
   */
  Operation(
      OperationHeader ticket,
      String controller,
      OperationRequest order,
      String actor,
      Instant startedAt,
      int expected,
      BulkRun run) {
    this.ticket = ticket;
    this.controller = controller;
    this.order = order;
    this.actor = actor;
    this.startedAt = startedAt;
    this.expected = expected;
    this.run = run;
  }

  public String id() {
    return ticket.id();
  }

  /** Returns who has a part of it. */
  public List<String> participants() {
    return ticket.participants();
  }

  /** Returns who refused to begin their part, with the kind of the problem. */
  Map<String, String> refused() {
    return ticket.refused();
  }

  /** Takes note of who refused to begin their part. */
  void refusedBy(Map<String, String> replicas) {
    ticket = ticket.refusedBy(replicas);
  }

  public String controller() {
    return controller;
  }

  /** Returns the one namespace whose items it is about, empty for all of them. */
  String namespace() {
    return order.namespace();
  }

  public OperationRequest order() {
    return order;
  }

  public String actor() {
    return actor;
  }

  Instant startedAt() {
    return startedAt;
  }

  public State state() {
    return state;
  }

  boolean running() {
    return state == State.RUNNING;
  }

  @Nullable BulkResult result() {
    return result;
  }

  @Nullable Instant endedAt() {
    return endedAt;
  }

  @Nullable String detail() {
    return detail;
  }

  @Nullable Stop stopped() {
    return stop;
  }

  /** Completes when it is over. */
  Future<Operation> ended() {
    return ended.future();
  }

  /** What has been done, or was done until the end. */
  public BulkProgress counts() {
    BulkResult known = result;
    return known == null ? run.progress() : known.counts();
  }

  public int matched() {
    return result == null ? Math.max(expected, counts().matched()) : counts().matched();
  }

  void stop(Stop by) {
    if (running()) {
      stop = stop == null ? by : stop;
      run.stop();
    }
  }

  void end(BulkResult what, Instant at) {
    if (!running()) {
      return; // it was given up
    }
    result = what;
    int changed = what.changed();
    int failed = what.counts().failed();
    int left = what.matched() - what.counts().done();
    switch (what.ending()) {
      case COMPLETE ->
          end(
              failed == 0
                  ? State.SUCCEEDED
                  : changed > 0 ? State.PARTIALLY_SUCCEEDED : State.FAILED,
              failed == 0 ? null : failed + " items could not be changed",
              at);
      case TOO_MANY ->
          end(
              State.FAILED,
              "when it began, more items matched than were counted and allowed; nothing was changed",
              at);
      case STOPPED -> end(State.CANCELLED, "stopped; " + left + " items were left alone", at);
      case CONTROLLER_STOPS ->
          end(
              what.counts().done() > 0 ? State.PARTIALLY_SUCCEEDED : State.FAILED,
              "the controller stopped on this replica; " + left + " items were left alone",
              at);
    }
  }

  /** Ends it without a result: what is known is the progress it told last. */
  void fail(String why, Instant at) {
    if (running()) {
      end(counts().changed() > 0 ? State.PARTIALLY_SUCCEEDED : State.FAILED, why, at);
    }
  }

  private void end(State how, @Nullable String why, Instant at) {
    state = how;
    detail = why;
    endedAt = at;
    ended.complete(this);
  }
}
