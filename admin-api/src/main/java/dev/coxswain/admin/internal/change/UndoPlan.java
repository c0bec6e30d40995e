// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.RequestTarget.Rerouted;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.resource.Limiters;
import dev.coxswain.admin.internal.undo.LimitState;
import dev.coxswain.admin.internal.undo.PauseState;
import dev.coxswain.admin.internal.undo.Undo;
import io.vertx.core.http.HttpMethod;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The change that restores what was before another one. Immutable.
 *
 * @param action its name in audit records
 * @param target its route
 * @param rights the rights that it needs: its own, and that of the change that is undone
 * @param body its body, without the reason
 * @param before the state now
 * @param after the state that is restored
 * @param detail what else is to be known; null for nothing
 */
record UndoPlan(
    String action,
    Rerouted target,
    List<AccessRequest> rights,
    ObjectNode body,
    List<Undo.Part> parts,
    ChangeState before,
    ChangeState after,
    @Nullable String detail) {

  static final String PAUSE = "pause";
  static final String RESUME = "resume";
  static final String SCALE = "setConcurrency";

  /**
   * Returns the plan for a change that can be undone.
   *
   * @param isStored whether all replicas follow the stored pauses
   * @param actor the caller
   */
  static UndoPlan of(
      ChangeGroup change, UndoParts values, boolean isStored, String actor, Instant now) {
    return switch (values.kind()) {
      case PAUSE -> ofPause(change, values, isStored, actor, now);
      case CONCURRENCY -> ofConcurrency(change, values);
      case LIMIT -> ofLimit(change, values, now);
    };
  }

  private static UndoPlan ofPause(
      ChangeGroup change, UndoParts values, boolean isStored, String actor, Instant now) {
    List<Undo.Part> parts =
        (isStored ? List.of(values.common()) : values.parts())
            .stream().map(part -> restorable(part, actor, now)).toList();
    PauseState restored = parts.getFirst().restoredAs(PauseState.class);
    String action = restored == null ? RESUME : PAUSE;
    ObjectNode body = Json.object();
    if (!change.cause().isEmpty()) {
      body.put("cause", change.cause());
    }
    boolean hasEnded = restored == null && values.pauseBefore() != null;
    return new UndoPlan(
        action,
        ofController(HttpMethod.POST, change, action),
        rights(
            Access.CONTROLLERS,
            change.controller(),
            change.action().equals(PAUSE) ? Verb.PAUSE : Verb.RESUME,
            restored == null ? Verb.RESUME : Verb.PAUSE),
        body,
        parts,
        ChangeState.of(values.pauseAfter()),
        ChangeState.of(restored),
        hasEnded ? "the pause that was there before would have ended, so there is none" : null);
  }

  /** Returns the pause as the caller restores it; one that would have ended is none. */
  private static Undo.Part restorable(Undo.Part part, String actor, Instant now) {
    PauseState before = part.restoredAs(PauseState.class);
    return new Undo.Part(
        part.replica(),
        part.expected(),
        before == null || before.isOver(now) ? null : Json.tree(before.restoredBy(actor)));
  }

  private static UndoPlan ofConcurrency(ChangeGroup change, UndoParts values) {
    int restored = UndoParts.number(values.common().restored());
    return new UndoPlan(
        SCALE,
        ofController(HttpMethod.PUT, change, "scale"),
        rights(Access.CONTROLLERS, change.controller(), Verb.TUNE, Verb.TUNE),
        Json.object().put("maxConcurrent", Math.max(1, restored)),
        values.parts(),
        values.shownAfter(),
        values.shownBefore(),
        null);
  }

  private static UndoPlan ofLimit(ChangeGroup change, UndoParts values, Instant now) {
    LimitState before = values.limitBefore();
    boolean hasEnded = before.isOver(now);
    boolean clears = before.until() == null || hasEnded;
    String below = "/limiters/" + encoded(change.limiter()) + "/override";
    ObjectNode body = Json.object();
    if (!clears) {
      Duration left = Duration.between(now, before.until()).truncatedTo(ChronoUnit.MILLIS);
      body.put("rate", before.rate())
          .put("burst", before.burst())
          .put("ttl", Durations.format(left.isPositive() ? left : Duration.ofMillis(1)));
    }
    return new UndoPlan(
        clears ? Limiters.CLEAR : Limiters.OVERRIDE,
        new Rerouted(
            clears ? HttpMethod.DELETE : HttpMethod.PUT, below, Map.of("l", change.limiter())),
        rights(Access.LIMITERS, change.limiter(), Verb.TUNE, Verb.TUNE),
        body,
        List.of(values.common()),
        values.shownAfter(),
        values.shownBefore(),
        hasEnded
            ? "the override that was there before would have ended, so what is configured holds"
            : null);
  }

  private static Rerouted ofController(HttpMethod method, ChangeGroup change, String action) {
    String name = change.controller();
    return new Rerouted(method, "/controllers/" + encoded(name) + "/" + action, Map.of("c", name));
  }

  private static String encoded(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static List<AccessRequest> rights(String resource, String name, Verb one, Verb other) {
    return List.of(one, other).stream()
        .distinct()
        .map(verb -> new AccessRequest(verb, resource, "", name))
        .toList();
  }

  /** Returns the plan for some of the replicas. */
  UndoPlan on(Set<String> replicas) {
    List<Undo.Part> some =
        parts.stream().filter(part -> replicas.contains(part.replica())).toList();
    return new UndoPlan(action, target, rights, body, some, before, after, detail);
  }

  /** Returns what is restored, in words. */
  String words() {
    return before.words() + " -> " + after.words();
  }

  /** Returns the body of the change. */
  ObjectNode body(String reason, String requestId, boolean dryRun) {
    ObjectNode all = body.deepCopy();
    all.put("reason", reason);
    all.set(Undo.FIELD, Json.tree(new Undo(requestId, parts, false)));
    if (dryRun) {
      all.put(Undo.DRY_RUN, true);
    }
    return all;
  }
}
