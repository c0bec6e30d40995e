// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the changes that are younger than those that are read next: what each thing was
 * changed by, and which changes were undone. An undo and what it has undone cancel each other out.
 */
final class ChangeHistory {

  private static final int MAX_REASON = 60;

  /**
   * The youngest change of one thing.
   *
   * @param words who made it, and when; empty when that was on an earlier page
   * @param undone the digest of the request that it has undone; empty for none
   */
  record Later(String words, String undone) {}

  /** Whether a change can be undone, or the kind of the refusal. */
  enum Kind {
    POSSIBLE,
    UNDONE,
    SUPERSEDED,
    AMBIGUOUS,
    NEVER
  }

  /**
   * Whether a change can be undone.
   *
   * @param text {@link ChangeRecord#POSSIBLE}, or why it cannot be undone
   */
  record Verdict(Kind kind, String text) {
    static final Verdict POSSIBLE = new Verdict(Kind.POSSIBLE, ChangeRecord.POSSIBLE);

    boolean isPossible() {
      return kind == Kind.POSSIBLE;
    }

    private static Verdict never(String why) {
      return new Verdict(Kind.NEVER, why);
    }
  }

  /** The youngest change of each thing, by the digest of the thing. */
  private final Map<String, Later> later;

  /** The undo of each request that was undone, in words, by the digest of the request. */
  private final Map<String, String> undone;

  private final Instant now;

  ChangeHistory(Map<String, Later> later, Map<String, String> undone, Instant now) {
    this.later = new LinkedHashMap<>(later);
    this.undone = new LinkedHashMap<>(undone);
    this.now = now;
  }

  Map<String, Later> later() {
    return later;
  }

  Map<String, String> undone() {
    return undone;
  }

  /**
   * Adds a change that is older than those before.
   *
   * @return whether it can be undone
   */
  Verdict add(ChangeGroup change) {
    Verdict verdict = judged(change);
    if (change.kind().isEmpty() || change.result(now).isEmpty()) {
      return verdict;
    }
    String subject = ChangeGroup.hash(change.subject());
    String request = request(change.requestId());
    Later before = later.get(subject);
    if (undone.containsKey(request)) {
      if (before != null && before.undone().equals(request)) {
        later.remove(subject);
      }
      return verdict;
    }
    String undoes = change.undoes();
    if (before == null) {
      later.put(subject, new Later(words(change), undoes.isEmpty() ? "" : request(undoes)));
    }
    if (!undoes.isEmpty()) {
      undone.putIfAbsent(request(undoes), words(change));
    }
    return verdict;
  }

  private static String request(String id) {
    return ChangeGroup.hash(List.of(id));
  }

  private static String words(ChangeGroup change) {
    return " by \"%s\" at %s (%s, request %s)"
        .formatted(
            Json.line(change.actor(), MAX_REASON),
            Durations.shown(change.at()),
            change.action(),
            change.requestId());
  }

  private Verdict judged(ChangeGroup change) {
    if (change.kind().isEmpty()) {
      return Verdict.never(ChangeKind.whyNot(change.action()));
    }
    if (change.isAmbiguous()) {
      return new Verdict(
          Kind.AMBIGUOUS, "Several requests have this id, so it is not known which one is meant.");
    }
    String result = change.result(now);
    if (result.equals("running")) {
      return Verdict.never("It has not ended yet.");
    }
    if (result.equals("unknown")) {
      return Verdict.never("Its outcome is not known, so what was before it is not known, either.");
    }
    @Nullable UndoParts values = change.states().orElse(null);
    if (values == null) {
      return Verdict.never(
          "What was before it is not recorded: an earlier version made it, or the record was lost.");
    }
    String undo = undone.get(request(change.requestId()));
    if (undo != null) {
      return new Verdict(Kind.UNDONE, "It was undone already" + undo + ".");
    }
    Later since = later.get(ChangeGroup.hash(change.subject()));
    if (since != null) {
      return new Verdict(Kind.SUPERSEDED, "It was changed since" + since.words() + ".");
    }
    String ended = values.ended(now);
    return ended == null ? Verdict.POSSIBLE : Verdict.never(ended);
  }
}
