// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.queue;

/**
 * Where an item is; exactly one of these.
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
  IN_FLIGHT("inFlight");

  private static final Phase[] ALL = values();

  private final String label;

  Phase(String label) {
    this.label = label;
  }

  /** Returns the name of this phase in the admin API and in metrics. */
  public String label() {
    return label;
  }

  static Phase of(byte ordinal) {
    return ALL[ordinal];
  }
}
