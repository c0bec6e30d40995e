// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The context of one attempt.
 *
 * <p>Thread rule: any thread.
 */
public interface ReconcileContext {

  /** The most fields that {@link #addLogField} adds to one attempt. */
  int MAX_LOG_FIELDS = 16;

  /** Returns the name of the controller. */
  String controller();

  /** Returns an id of this attempt that is unique within the process, for logs and traces. */
  long attemptId();

  /** Returns the request as text, for logs and traces; empty by default. */
  default String key() {
    return "";
  }

  /**
   * Returns the value of a W3C {@code traceparent} header for calls of this attempt to other
   * systems; requests through the host's {@code Kubernetes} have one. Empty when the attempt is not
   * traced.
   */
  default String traceParent() {
    return "";
  }

  /** Returns the id of the trace of this attempt; empty when it is not traced. */
  default String traceId() {
    String parent = traceParent();
    return parent.isEmpty() ? "" : parent.split("-", -1)[1];
  }

  /** Returns how many attempts of this request have failed in a row before this one. */
  int failures();

  /** Returns what caused this attempt. */
  Trigger trigger();

  /**
   * Returns whether the attempt was cancelled: it ran into its time limit, or the controller is
   * stopping and the limit for that has passed.
   */
  boolean isCancelled();

  /**
   * Registers an action for when the attempt is cancelled; when it is cancelled already, the action
   * runs now. It runs once, never on the event loop, and may block: the actions of an attempt run one
   * after the other on a thread of their own, in the order in which they were registered. An action
   * that has not returned after 10 seconds is interrupted. That is reported as a failure of user code,
   * as an exception is, and as actions are that are not called because those of 64 other attempts of
   * the controller have not returned. A blocking reconciler needs none: its thread is interrupted.
   *
   * @param action the action; uses its own synchronization for what it shares with the event loop
   */
  void onCancel(Runnable action);

  /**
   * Returns the epoch of this request: it grows with every change of the request's owner, so outside
   * systems can refuse writes with a lower one. It also grows when the ownership of the controller
   * changes. All replicas of a controller that every replica runs have the same one, up to the time
   * that they need to agree on it; 0 on a replica that has not held a Lease yet, and in a process
   * without slots.
   */
  default long epoch() {
    return 0;
  }

  /** Returns the slot of this request; -1 when the controller runs on every replica. */
  default int slot() {
    return -1;
  }

  /**
   * Returns how long this replica may still work on the request; zero when it lost it, and when the
   * attempt has ended. Unlimited when the controller runs on every replica.
   */
  default Duration timeLeft() {
    return Duration.ofNanos(Long.MAX_VALUE);
  }

  /**
   * Returns how long this attempt may still take before it is cancelled by the time limit of the
   * controller; zero when that has passed. A good time limit for calls to other systems. Unlimited
   * when the controller has no time limit.
   */
  default Duration untilDeadline() {
    return Duration.ofNanos(Long.MAX_VALUE);
  }

  /**
   * Returns the fields of the log lines of this attempt: {@code controller}, {@code key}, {@code
   * attempt}, {@code trace_id} when it is traced, and those of {@link #addLogField}, in this order.
   */
  default Map<String, Object> logFields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("controller", controller());
    fields.put("key", key());
    fields.put("attempt", attemptId());
    String trace = traceId();
    if (!trace.isEmpty()) {
      fields.put("trace_id", trace);
    }
    return fields;
  }

  /**
   * Adds a field to the log lines of this attempt, from now on, and to the one that reports its
   * failure. A field of the same name is replaced, except those that every attempt has. An attempt
   * has at most {@value #MAX_LOG_FIELDS} such fields; further ones are ignored. By default all are.
   *
   * @param name one word, in lower case with underscores; the host hides values of names such as
   *     {@code password} or {@code token}
   * @param value a number, a boolean, or an object whose text is taken at once
   */
  default void addLogField(String name, Object value) {}

  /**
   * Checks that this replica still owns the request. Call it before a write that does not go
   * through the host's {@code Kubernetes}, to the API of a vendor for instance.
   *
   * @throws LostOwnershipException when it does not
   */
  default void ensureOwned() {
    if (!timeLeft().isPositive()) {
      throw new LostOwnershipException("this replica does not own the request any more");
    }
  }

  /**
   * Counts a write of this attempt, for the history of the object. Writes through the host's {@code
   * Kubernetes} are counted without it; call it for those to other systems. Does nothing by default.
   */
  default void written() {}

  /**
   * Returns a task that runs as a part of this attempt on another thread: its writes are permitted
   * as long as those of the attempt, and its log lines and requests belong to it.
   */
  default Runnable bind(Runnable task) {
    return () -> CurrentAttempt.run(this, task);
  }
}
