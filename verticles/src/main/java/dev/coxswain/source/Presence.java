// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import java.util.Objects;

/**
 * The state of one object in a source.
 *
 * <p>Thread rule: immutable.
 *
 * @param state the state
 * @param detail one sentence for display; empty when there is nothing to add
 */
public record Presence(State state, String detail) {

  /** The source holds the object and delivers its events. */
  public static final Presence HELD = new Presence(State.HELD, "");

  /** The state is unknown to the source. */
  public static final Presence UNKNOWN = new Presence(State.UNKNOWN, "");

  public Presence {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(detail, "detail");
  }

  /** The states. */
  public enum State {
    /** The object is held, and its events are delivered. */
    HELD,
    /** A namespace, selector or predicate keeps the object or its events out. */
    LEFT_OUT,
    /** The source is still receiving what exists; the detail says what it waits for. */
    LOADING,
    /** The source has listed everything it watches, without the object. */
    ABSENT,
    /** The state is unknown to the source. */
    UNKNOWN
  }
}
