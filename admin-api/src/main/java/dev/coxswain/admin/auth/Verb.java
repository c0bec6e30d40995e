// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What somebody wants to do, as rules name it.
 *
 * <p>Thread rule: immutable.
 */
public enum Verb {
  /** Look at one. */
  GET(Effect.READ),
  /** Look at many. */
  LIST(Effect.READ),
  /** Make an item due now. */
  RETRY(Effect.CHANGE),
  /** Reset the failures of an item. */
  FORGET(Effect.CHANGE),
  /** Give an item another time. */
  REQUEUE(Effect.CHANGE),
  /** Add a request. */
  ENQUEUE(Effect.CHANGE),
  /** Take one item out of its queue. */
  DROP(Effect.DESTRUCTIVE),
  /** Take many items out of their queue, and have them added again. */
  FLUSH(Effect.DESTRUCTIVE),
  /** Take many items out of their queue for good. */
  FLUSHHARD(Effect.DESTRUCTIVE),
  /** Stop an operation on many items. */
  STOP(Effect.CHANGE),
  /** Start no more attempts. */
  PAUSE(Effect.CHANGE),
  /** End a pause. */
  RESUME(Effect.CHANGE),
  /** Change a setting. */
  UPDATE(Effect.CHANGE);

  /** What a verb does to the pending work of the controllers. */
  public enum Effect {
    /** Changes nothing. */
    READ,
    /** Changes when or how work is done. */
    CHANGE,
    /** Takes pending work away. */
    DESTRUCTIVE
  }

  private final Effect effect;

  Verb(Effect effect) {
    this.effect = effect;
  }

  /** Returns what it does to pending work. */
  public Effect effect() {
    return effect;
  }

  /** Returns the word that rules use. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the verb of a word, or empty. */
  public static Optional<Verb> of(String label) {
    return Arrays.stream(values()).filter(verb -> verb.label().equals(label)).findFirst();
  }
}
