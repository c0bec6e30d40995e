// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

/**
 * A re-armable timer of one event loop.
 *
 * <p>It fires at or after its deadline (earlier by the resolution of the timer at most), and may
 * fire once more than it was set. The owner compares the clock when it fires.
 *
 * <p>Thread rule: confined to its owner's event loop, on which it fires.
 */
public interface Alarm {

  /**
   * Arms the alarm to fire once at {@code deadlineNanos} of the owner's {@link Clock}, or at once
   * when that has passed. An earlier setting is replaced.
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
     * @param onAlarm runs on the owner's event loop when the alarm fires
     */
    Alarm create(Runnable onAlarm);
  }
}
