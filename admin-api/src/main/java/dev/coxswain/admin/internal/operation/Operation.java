// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkRun;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One operation, running or ended. Confined to the admin event loop. */
public final class Operation {

  /** The state of an operation. */
  public enum State {
    RUNNING("Running"),
    /** Every item was processed. */
    SUCCEEDED("Succeeded"),
    /** Some items were changed; others failed or moved, or the controller stopped first. */
    PARTIALLY_SUCCEEDED("PartiallySucceeded"),
    /** Nothing was changed. */
    FAILED("Failed"),
    /** It was stopped; earlier changes remain. */
    CANCELLED("Cancelled");

    private final String label;

    State(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /** A request to stop it. */
  record Stop(String actor, String reason, Instant at) {}

  private OperationRecord record;
  private final int expected;
  private final BulkRequest execution;
  private final BulkRun run;
  private final Clock clock;
  private final Promise<Operation> ended = Promise.promise();
  private State state = State.RUNNING;
  private @Nullable BulkResult result;
  private @Nullable Instant endedAt;
  private @Nullable String detail;
  private @Nullable Stop stop;

  /**
   * Creates a running operation.
   *
   * @param expected the number of items that were counted before it began
   * @param execution what runs, with the pace of this replica
   */
  Operation(OperationRecord record, int expected, BulkRequest execution, BulkRun run, Clock clock) {
    this.record = record;
    this.expected = expected;
    this.execution = execution;
    this.run = run;
    this.clock = clock;
  }

  OperationRecord record() {
    return record;
  }

  public String id() {
    return record.id();
  }

  public String controller() {
    return record.controller();
  }

  public OperationHeader header() {
    return record.header();
  }

  /** Stores which replicas refused their parts. */
  void refusedBy(Map<String, String> replicas) {
    record = record.refusedBy(replicas);
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

  /** Completes at the end of the operation. */
  Future<Operation> ended() {
    return ended.future();
  }

  /** Returns the final counts, or those up to now. */
  public BulkProgress counts() {
    BulkResult known = result;
    return known == null ? run.progress() : known.counts();
  }

  public int matched() {
    return result == null ? Math.max(expected, counts().matched()) : counts().matched();
  }

  /**
   * Returns when the last of its items is expected to be due: what is left is changed at the pace,
   * and items become due over the requested time and after the requested delay. Null when that is
   * over, or nothing was changed. Whether a due item then waits for a token or a worker is not known.
   */
  @Nullable Instant expectedEnd() {
    Instant now = clock.instant();
    BulkProgress counts = counts();
    if (!running() && counts.changed() == 0) {
      return null;
    }
    int all = Math.max(1, matched());
    int rate = execution.itemsPerSecond();
    Instant last = endedAt;
    double spread = (double) counts.done() / all;
    if (last == null) {
      int left = Math.max(0, matched() - counts.done());
      last = rate == 0 ? now : now.plusMillis(left * 1000L / rate);
      spread = 1;
    }
    Instant due =
        record
            .startedAt()
            .plus(Duration.ofMillis((long) (execution.spreadOver().toMillis() * spread)));
    Instant end = (due.isAfter(last) ? due : last).plus(execution.delay());
    return end.isAfter(now) ? end : null;
  }

  /** Returns whether a request describes exactly this operation. */
  public boolean isOf(String controller, String actor, OperationRequest request) {
    OperationRequest own = record.request();
    return record.controller().equals(controller)
        && record.actor().equals(actor)
        && own.reason().equals(request.reason())
        && own.bulk().maxAffected() == request.bulk().maxAffected()
        && own.fingerprint().equals(request.fingerprint());
  }

  void stop(Stop by) {
    if (running()) {
      stop = stop == null ? by : stop;
      run.stop();
    }
  }

  void end(BulkResult of, Instant at) {
    if (!running()) {
      return; // it failed before
    }
    result = of;
    int failed = of.counts().failed();
    int left = of.matched() - of.counts().done();
    boolean nothing = of.matched() > 0 && of.changed() == 0 && failed + of.counts().moved() == 0;
    switch (of.ending()) {
      case COMPLETE ->
          end(
              failed == 0 && of.counts().moved() == 0 && !nothing
                  ? State.SUCCEEDED
                  : of.changed() > 0 ? State.PARTIALLY_SUCCEEDED : State.FAILED,
              nothing ? noneOf(of.matched()) : incomplete(failed, of.counts().moved()),
              at);
      case TOO_MANY ->
          end(
              State.FAILED,
              "at its start, more items matched than were counted and allowed; nothing was changed",
              at);
      case STOPPED -> end(State.CANCELLED, "stopped; " + left + " items were left alone", at);
      case CONTROLLER_STOPS ->
          end(
              of.counts().done() > 0 ? State.PARTIALLY_SUCCEEDED : State.FAILED,
              "the controller stopped on this replica; " + left + " items were left alone",
              at);
    }
  }

  static String noneOf(int matched) {
    return "none of " + matched + " items was changed; see byResult for the reasons";
  }

  private static @Nullable String incomplete(int failed, int moved) {
    String failures = failed == 0 ? "" : failed + " items could not be changed";
    String moves =
        moved == 0
            ? ""
            : moved
                + " items moved to another replica meanwhile and were left alone; run the operation"
                + " again for them";
    String all = failures + (failed > 0 && moved > 0 ? "; " : "") + moves;
    return all.isEmpty() ? null : all;
  }

  /** Ends it without a result: the last reported progress remains. */
  void fail(String error, Instant at) {
    if (running()) {
      end(counts().changed() > 0 ? State.PARTIALLY_SUCCEEDED : State.FAILED, error, at);
    }
  }

  private void end(State how, @Nullable String error, Instant at) {
    state = how;
    detail = error;
    endedAt = at;
    ended.complete(this);
  }
}
