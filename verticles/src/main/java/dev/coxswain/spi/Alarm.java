// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

/**
 * One re-armable wake-up call, owned by one event loop.
 *
 * <p>An alarm may ring a little late, and once more than asked for; it never rings early by more
 * than the resolution of its timer, and its owner re-checks the clock when it rings.
 *
 * <p>Thread rule: confined to its owner's event loop; it rings there too.
 */
public interface Alarm {

  /**
   * Arms the alarm so that it rings once at {@code deadlineNanos} of the owner's {@link Clock}, or
   * at once when that has passed. An earlier setting is replaced.
   *
   * @param deadlineNanos a value of {@link Clock#nanos()}
   */
  void set(long deadlineNanos);

  /** Disarms the alarm; does nothing when it is not armed. */
  void clear();

  /** Makes alarms for one event loop. */
  @FunctionalInterface
  interface Factory {
    /**
     * Creates a disarmed alarm.
     *
     * @param onRing what to run on the owner's event loop when the alarm rings
     */
    Alarm create(Runnable onRing);
  }
}
