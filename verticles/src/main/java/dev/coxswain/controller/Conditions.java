// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.spi.Clock;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The standing problems of one controller, at most one of each type. The engine and the host raise
 * and clear them; each change of state is logged once, that of a whole replica by its host.
 *
 * <p>Thread rule: any thread.
 */
public final class Conditions {
  private static final Logger log = LoggerFactory.getLogger(Conditions.class);

  private final String controller;
  private final Clock clock;
  private final Map<ConditionType, Standing> standing = new EnumMap<>(ConditionType.class);

  /** A condition and when it was raised, by the clock. */
  private record Standing(Condition condition, long raisedAt) {}

  /**
   * Creates an empty set.
   *
   * @param controller the name of the controller
   * @param clock the time
   */
  public Conditions(String controller, Clock clock) {
    this.controller = controller;
    this.clock = clock;
  }

  /**
   * Raises a condition. A condition that is raised already keeps its time and gets the new message.
   */
  public void raise(ConditionType type, String message) {
    synchronized (standing) {
      Standing before = standing.get(type);
      Instant since = before == null ? clock.instant() : before.condition.since();
      long raisedAt = before == null ? clock.nanos() : before.raisedAt;
      standing.put(type, new Standing(new Condition(type, since, message), raisedAt));
      if (before != null || type.ofReplica()) {
        return;
      }
    }
    log.atWarn()
        .addKeyValue("controller", controller)
        .addKeyValue("condition", type.label())
        .addKeyValue("reason", message)
        .log("controller condition raised");
  }

  /** Clears a condition; does nothing when it is not raised. */
  public void clear(ConditionType type) {
    synchronized (standing) {
      if (standing.remove(type) == null || type.ofReplica()) {
        return;
      }
    }
    log.atInfo()
        .addKeyValue("controller", controller)
        .addKeyValue("condition", type.label())
        .log("controller condition cleared");
  }

  /** Raises a condition with this message, or clears it when that is null. */
  public void set(ConditionType type, @Nullable String message) {
    if (message == null) {
      clear(type);
    } else {
      raise(type, message);
    }
  }

  /** Returns whether a condition is raised. */
  public boolean has(ConditionType type) {
    synchronized (standing) {
      return standing.containsKey(type);
    }
  }

  /** Returns how long a condition has been raised, zero when it is not. */
  public Duration age(ConditionType type) {
    synchronized (standing) {
      Standing found = standing.get(type);
      return found == null ? Duration.ZERO : Duration.ofNanos(clock.nanos() - found.raisedAt);
    }
  }

  /** Returns the raised conditions, in the order of their types. */
  public List<Condition> all() {
    synchronized (standing) {
      return standing.values().stream().map(Standing::condition).toList();
    }
  }
}
