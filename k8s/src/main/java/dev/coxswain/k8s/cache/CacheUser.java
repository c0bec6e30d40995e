// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A user of a cache, with what it needs: all objects, or those of the slots that this replica keeps.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the user, for display
 * @param keys the requests that objects map to; null when all objects are needed
 * @param reason why all objects are needed, for display; empty with keys
 */
public record CacheUser(String name, @Nullable ObjectKeys keys, String reason) {

  public CacheUser {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(reason, "reason");
  }

  /** Returns a user that needs all objects. */
  public static CacheUser full(String name, String reason) {
    return new CacheUser(name, null, reason);
  }

  /** Returns a user that needs the objects that map to requests of kept slots. */
  public static CacheUser filtered(String name, ObjectKeys keys) {
    return new CacheUser(name, keys, "");
  }

  /** Returns a text for display: {@code "controller web, source Pod: declared full()"}. */
  @Override
  public String toString() {
    return reason.isEmpty() ? name : name + ": " + reason;
  }
}
