// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

/**
 * The phase of an item. The first four are those of the queue. A {@link #TERMINAL} item is kept
 * beside the queue: it is listed and acted on like the others, but is not counted as work and never
 * starts by itself.
 *
 * <p>Thread rule: immutable.
 */
public enum Phase {
  /** Due, and waiting for a free worker. */
  READY("ready"),
  /** Not due yet. */
  DELAYED("delayed"),
  /** A retry that is due, and waiting for a token of the retry budget. */
  WAITING_TOKEN("waitingToken"),
  /** Being reconciled. */
  IN_FLIGHT("inFlight"),
  /** Out of the queue after a failure that no retry can cure; kept until the next event. */
  TERMINAL("terminal");

  private static final Phase[] ALL = values();

  private final String label;

  Phase(String label) {
    this.label = label;
  }

  /** Returns whether an item in this phase is in the queue, that is, still to be reconciled. */
  public boolean queued() {
    return this != TERMINAL;
  }

  /** Returns the name of this phase in the admin API and in metrics. */
  public String label() {
    return label;
  }

  public static Phase of(byte ordinal) {
    return ALL[ordinal];
  }
}
