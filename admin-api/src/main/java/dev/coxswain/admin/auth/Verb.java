// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * An action in an access rule.
 *
 * <p>Thread rule: immutable.
 */
public enum Verb {
  /** Read one object. */
  GET(Effect.READ),
  /** Read many objects. */
  LIST(Effect.READ),
  /** Make an item due now. */
  RETRY(Effect.CHANGE),
  /** Reset the failures of an item. */
  FORGET(Effect.CHANGE),
  /** Set another time for an item. */
  REQUEUE(Effect.CHANGE),
  /** Add a request. */
  ENQUEUE(Effect.CHANGE),
  /** Remove one item from its queue. */
  DROP(Effect.DESTRUCTIVE),
  /** Remove many items from their queue; they are added again. */
  FLUSH(Effect.DESTRUCTIVE),
  /** Remove many items from their queue; they are not added again. */
  FLUSHHARD(Effect.DESTRUCTIVE),
  /** Stop an operation on many items, or a plug-in. */
  STOP(Effect.CHANGE),
  /** Start no more attempts. */
  PAUSE(Effect.CHANGE),
  /** End a pause. */
  RESUME(Effect.CHANGE),
  /** Move the slots of a replica to the others, or let them return. */
  DRAIN(Effect.CHANGE),
  /** Load a plug-in and start its controllers. */
  DEPLOY(Effect.CHANGE),
  /** Load a plug-in again and replace its controllers. */
  REDEPLOY(Effect.CHANGE),
  /** Change the concurrency of a controller, or a limiter within what is configured. */
  TUNE(Effect.CHANGE),
  /** Change a setting, also a limiter beyond what is configured. */
  UPDATE(Effect.CHANGE);

  /** The effect of a verb on the pending work of the controllers. */
  public enum Effect {
    /** Changes nothing. */
    READ,
    /** Changes when or how work is done. */
    CHANGE,
    /** Removes pending work. */
    DESTRUCTIVE
  }

  private final Effect effect;

  Verb(Effect effect) {
    this.effect = effect;
  }

  /** Returns its effect on pending work. */
  public Effect effect() {
    return effect;
  }

  /** Returns the name in rules. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the verb with a name, or empty. */
  public static Optional<Verb> of(String label) {
    return Arrays.stream(values()).filter(verb -> verb.label().equals(label)).findFirst();
  }
}
