// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.internal.change.ChangeToken.After;
import dev.coxswain.admin.internal.history.AuditResource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A walk over pages of audit records, which are joined to changes. A change is at the place of its
 * youngest record; where a page of changes ends between the records of one, the position has it.
 */
final class ChangeWalk {

  private final ChangeToken from;
  private final Instant now;
  private final Map<List<String>, ChangeGroup> groups = new LinkedHashMap<>();

  /** The positions of the pages of the audit that were read, and the next one. */
  private final List<String> pages = new ArrayList<>();

  private boolean ended;
  private int records;
  private Instant read = Instant.MAX;

  ChangeWalk(ChangeToken from, Instant now) {
    this.from = from;
    this.now = now;
    pages.add(from.audit());
  }

  /**
   * Adds a page of the audit.
   *
   * @param next the position of the next page; null for none
   */
  void add(List<AuditResource> added, @Nullable String next) {
    int page = pages.size() - 1;
    records += added.size();
    for (AuditResource record : added) {
      if (ChangeGroup.concerns(record)) {
        groups
            .computeIfAbsent(ChangeGroup.key(record), _ -> new ChangeGroup(page))
            .add(record, page);
      }
      read = record.at();
    }
    ended = next == null;
    pages.add(next == null ? "" : next);
  }

  /** Returns the number of records that were read. */
  int records() {
    return records;
  }

  /** Returns the position of the next page of the audit. */
  String next() {
    return pages.getLast();
  }

  boolean hasEnded() {
    return ended;
  }

  /** Returns the changes that an earlier page of the list has not had, the youngest first. */
  List<ChangeGroup> fresh() {
    Set<String> seen = new HashSet<>(from.seen());
    After after = from.after();
    boolean passed = after == null;
    List<ChangeGroup> fresh = new ArrayList<>();
    for (ChangeGroup group : groups.values()) {
      String hash = group.hash();
      boolean isNew =
          after == null
              || group.at().isBefore(after.at())
              || (passed && group.at().equals(after.at()));
      if (after != null && hash.equals(after.change())) {
        passed = true;
        isNew = false;
      }
      if (isNew && !seen.contains(hash)) {
        fresh.add(group);
      }
    }
    return fresh;
  }

  /**
   * A page of changes.
   *
   * @param next the position after it; null at the end
   * @param isWhole whether all records of its changes have been read
   */
  record Page(List<ChangeRecord> items, @Nullable ChangeToken next, boolean isWhole) {}

  /** Returns the page of what was read up to now. */
  Page page(int limit, Predicate<ChangeRecord> filter) {
    ChangeHistory history = from.history(now);
    List<ChangeRecord> items = new ArrayList<>();
    boolean isWhole = true;
    ChangeGroup last = null;
    for (ChangeGroup group : fresh()) {
      if (items.size() == limit) {
        return new Page(items, after(last, history), isWhole);
      }
      String verdict = history.add(group).text();
      if (!group.result(now).isEmpty()) {
        ChangeRecord shown = group.shown(verdict, now);
        if (filter.test(shown)) {
          items.add(shown);
        }
      }
      isWhole &= ended || group.isComplete(read);
      last = group;
    }
    return new Page(
        items,
        ended ? null : ChangeToken.of(next(), null, seen(pages.size() - 1), history),
        isWhole && (ended || items.size() == limit));
  }

  private ChangeToken after(@Nullable ChangeGroup last, ChangeHistory history) {
    if (last == null) {
      return from;
    }
    After after = new After(last.at(), last.hash());
    return ChangeToken.of(pages.get(last.round), after, seen(last.round), history);
  }

  /** Returns the changes that began before a page of the audit, and may have records on it. */
  private List<String> seen(int page) {
    Set<String> known = Set.copyOf(from.seen());
    Set<String> seen = new LinkedHashSet<>(from.seen());
    for (ChangeGroup group : groups.values()) {
      String hash = group.hash();
      if (!group.mayContinue(page)) {
        seen.remove(hash);
      } else if (group.round < page || known.contains(hash)) {
        seen.add(hash);
      }
    }
    return List.copyOf(seen);
  }
}
