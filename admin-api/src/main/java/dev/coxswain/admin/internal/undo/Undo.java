// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.undo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a change restores: the states before another one, and the states that it expects. It is a part of
 * the body of the change that restores them, between replicas and within one. Immutable.
 *
 * @param requestId the request that is undone
 * @param parts one for each replica that has a state of its own, or a single one for all
 * @param dryRun whether only to check
 */
public record Undo(String requestId, List<Part> parts, boolean dryRun) {

  /** Throws what the reader of JSON reports as a value without its form. */
  public Undo {
    Objects.requireNonNull(requestId, "requestId");
    parts = List.copyOf(parts);
  }

  /** The field of the body. */
  public static final String FIELD = "undo";

  /** The field of the body that only checks. */
  public static final String DRY_RUN = "dryRun";

  private static final int MAX_ID = 64;

  /**
   * The state of one replica, or of all.
   *
   * @param replica null for the state that all replicas have in common
   * @param expected the state that the undone change has left; null for none
   * @param restored the state before it; null for none
   */
  public record Part(
      @Nullable String replica, @Nullable JsonNode expected, @Nullable JsonNode restored) {

    /** Returns the expected state as a type; null for none. */
    public <T> @Nullable T expectedAs(Class<T> type) {
      return as(expected, type);
    }

    /** Returns the restored state as a type; null for none. */
    public <T> @Nullable T restoredAs(Class<T> type) {
      return as(restored, type);
    }

    private static <T> @Nullable T as(@Nullable JsonNode state, Class<T> type) {
      try {
        return state == null || state.isNull() ? null : Json.value(state, type);
      } catch (IllegalArgumentException e) {
        throw malformed().rejection();
      }
    }
  }

  /**
   * Refuses a body of a client with it. Other replicas receive the body of a client unchanged, and could
   * not tell it from one of this replica.
   */
  public static void checkAbsent(RequestContext context) {
    if (!context.ofReplica() && context.body().has(FIELD)) {
      throw Problem.invalid(
              "invalid-body",
              "field \"" + FIELD + "\" is unknown",
              new Problem.Fault("pointer", "/" + FIELD, "is unknown"))
          .rejection();
    }
  }

  /**
   * Reads it from a body. Clients cannot send it with a change of their own: see {@link #checkAbsent}.
   * Records the undone request.
   *
   * @return null for a change that undoes nothing
   */
  public static @Nullable Undo of(RequestContext context, Body body) {
    if (!context.ofReplica() && !context.target().isRerouted()) {
      return null;
    }
    JsonNode sent = body.json(FIELD);
    if (sent == null) {
      return null;
    }
    if (!sent.isObject()) {
      throw malformed().rejection();
    }
    boolean dryRun = body.flag(DRY_RUN, false);
    try {
      Undo undo = Json.value(sent, Undo.class);
      if (undo.requestId().length() > MAX_ID || undo.parts().isEmpty()) {
        throw malformed().rejection();
      }
      context.audit().undoes(undo.requestId());
      return new Undo(undo.requestId(), undo.parts(), dryRun);
    } catch (IllegalArgumentException e) {
      throw malformed().rejection();
    }
  }

  private static Problem malformed() {
    return Problem.invalid(
        "invalid-body", "field \"undo\" is for other replicas, and does not have its form");
  }

  /** Returns the part of a replica; empty when it took no part in the change. */
  public Optional<Part> of(String replica) {
    return parts.stream()
        .filter(part -> part.replica() == null || part.replica().equals(replica))
        .findFirst();
  }

  /** Returns the refusal when the state is not what the undone change has left. */
  public static Rejection superseded(String now, String expected) {
    return Problem.of(
            409,
            "change-superseded",
            "Changed since",
            "it was changed since: it is "
                + now
                + " now, and the change that is to be undone had left "
                + expected
                + "; nothing was changed")
        .rejection();
  }
}
