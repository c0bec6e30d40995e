// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.recorder;

import dev.coxswain.reconcile.Trigger;

/**
 * One line of a recording.
 *
 * <p>Thread rule: immutable.
 *
 * @param event what happened
 * @param nanos when, by {@link System#nanoTime}, which all processes of a machine share on Linux;
 *     of a write, when it was about to be requested
 * @param key the name of the object
 * @param attempt the number of the attempt in its process
 * @param epoch the epoch of the slot, or 0
 * @param trigger what caused the attempt
 * @param value at the begin the generation of the object, of a write the resourceVersion that it
 *     returned, otherwise 0
 * @param left for how many nanoseconds the attempt was permitted to write at some time not before
 *     {@code nanos}; -1 without a limit
 */
public record AttemptRecord(
    Event event,
    long nanos,
    String key,
    long attempt,
    long epoch,
    Trigger trigger,
    long value,
    long left) {
  /** What happened. */
  public enum Event {
    BEGIN,
    /** A write was acknowledged. */
    WRITTEN,
    /** A write was refused, because the replica does not own the object. */
    REFUSED,
    /** A write met another version of the object. */
    CONFLICT,
    /** A write failed otherwise, or was not acknowledged. */
    FAILED,
    END
  }
}
