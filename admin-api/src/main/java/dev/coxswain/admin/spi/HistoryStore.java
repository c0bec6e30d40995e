// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Stores finished operations, audit records and events of all replicas, so that they survive a restart of
 * all of them. It keeps the newest ones, within bounds of its own. An entry that is stored never
 * changes.
 *
 * <p>Thread rule: called on the admin API's event loop, where the futures complete; no method
 * blocks.
 */
public interface HistoryStore {

  /** What an entry is; each kind has bounds of its own. */
  enum Kind {
    /** The part that a replica has of an operation, when it has ended. */
    OPERATION,
    /** An audit record of a change. */
    AUDIT,
    /** Something that a replica has seen happen. */
    EVENT
  }

  /**
   * An entry.
   *
   * <p>Thread rule: immutable.
   *
   * @param at its time; the oldest entries are removed first
   * @param group entries of one group are removed together; letters, digits and hyphens, at most 64
   *     characters; empty for an entry on its own
   * @param json its contents, a JSON object in one line
   */
  record Entry(Kind kind, Instant at, String group, String json) {
    public Entry {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(at, "at");
      Objects.requireNonNull(group, "group");
      Objects.requireNonNull(json, "json");
    }
  }

  /**
   * Stores an entry within some seconds. Never fails: the store retries, and reports its failures
   * itself. It may store an entry twice.
   */
  void add(Entry entry);

  /**
   * Returns the stored entries of all replicas, the oldest of each kind first. It returns the same
   * list until the entries have changed. Entries that were added a moment ago may be missing. Fails
   * with the reason when they cannot be read within about two seconds.
   */
  Future<List<Entry>> read();
}
