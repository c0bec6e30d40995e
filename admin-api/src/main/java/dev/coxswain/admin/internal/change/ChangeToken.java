// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.internal.http.Cursors;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The position in a list of changes: a page of audit records, and what is known of the changes before
 * it. Immutable.
 *
 * @param audit the position in the audit; empty for its beginning
 * @param after the last change that was listed; null when all of that page before it are new
 * @param seen the changes of earlier pages that may have records on this one
 * @param later what each thing was changed by
 * @param undone the requests that were undone
 */
record ChangeToken(
    String audit,
    @Nullable After after,
    List<String> seen,
    Map<String, String> later,
    List<String> undone) {

  /** The longest position: it must fit into a request line. */
  static final int MAX = 3900;

  static final ChangeToken BEGIN = new ChangeToken("", null, List.of(), Map.of(), List.of());

  private static final String MARK = "c1.";
  private static final Pattern HASH = Pattern.compile("[A-Za-z0-9_-]{0,8}");

  /** So many entries of each kind are kept; the oldest ones are known to the check of an undo only. */
  private static final int MAX_ENTRIES = 24;

  /** The last change that was listed, by the time of its youngest record. */
  record After(Instant at, String change) {}

  /** The part that is not of the audit. */
  private record Rest(
      @Nullable After after, List<String> seen, Map<String, String> later, List<String> undone) {}

  /** Returns the position after a change. */
  static ChangeToken of(
      String audit, @Nullable After after, List<String> seen, ChangeHistory history) {
    Map<String, String> later = new LinkedHashMap<>();
    history.later().forEach((thing, change) -> later.put(thing, change.undone()));
    while (later.size() > MAX_ENTRIES) {
      later.remove(later.keySet().iterator().next());
    }
    return new ChangeToken(
        audit, after, last(seen), later, last(List.copyOf(history.undone().keySet())));
  }

  private static List<String> last(List<String> all) {
    return all.subList(Math.max(0, all.size() - MAX_ENTRIES), all.size());
  }

  /** Returns what is known of the changes before. */
  ChangeHistory history(Instant now) {
    Map<String, ChangeHistory.Later> changes = new LinkedHashMap<>();
    later.forEach((thing, request) -> changes.put(thing, new ChangeHistory.Later("", request)));
    Map<String, String> all = new LinkedHashMap<>();
    undone.forEach(request -> all.put(request, ""));
    return new ChangeHistory(changes, all, now);
  }

  /** Returns the text; without what only helps to judge older changes when it would be too long. */
  String encode() {
    String whole = encoded(new Rest(after, seen, later, undone));
    return whole.length() <= MAX ? whole : encoded(new Rest(after, seen, Map.of(), List.of()));
  }

  private String encoded(Rest rest) {
    return MARK + Hashes.encode(Json.write(rest)) + "." + audit;
  }

  /** Reads a position; throws a {@link Rejection} for a text that is none. */
  static ChangeToken decode(String text) {
    String[] halves =
        text.startsWith(MARK) ? text.substring(MARK.length()).split("\\.", 2) : new String[0];
    if (halves.length != 2) {
      throw invalid();
    }
    try {
      Rest rest = Json.read(Hashes.decode(halves[0]), Rest.class);
      List<String> texts = new ArrayList<>(rest.seen());
      texts.addAll(rest.undone());
      texts.addAll(rest.later().keySet());
      texts.addAll(rest.later().values());
      if (rest.after() != null) {
        texts.add(rest.after().change());
      }
      if (texts.size() > 4 * MAX_ENTRIES + 1
          || texts.stream().anyMatch(one -> one == null || !HASH.matcher(one).matches())) {
        throw invalid();
      }
      return new ChangeToken(halves[1], rest.after(), rest.seen(), rest.later(), rest.undone());
    } catch (IOException e) {
      throw invalid();
    }
  }

  private static Rejection invalid() {
    return Cursors.invalid("was not issued by this API, or was changed in transit");
  }
}
