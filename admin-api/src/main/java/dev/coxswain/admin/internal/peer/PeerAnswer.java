// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one replica said, or why it said nothing.
 *
 * @param replica its name
 * @param state whether its answer counts
 * @param error what kept it from answering; null when it is {@link State#OK}
 * @param sent whether the question may have reached it
 * @param status the HTTP status; 0 without an answer
 * @param body the body of the answer; null without one
 */
public record PeerAnswer(
    String replica,
    State state,
    @Nullable String error,
    boolean sent,
    int status,
    @Nullable ObjectNode body) {

  /** A replica that says so has nothing of what was asked for, and nothing is missing. */
  private static final Set<String> NOTHING_THERE =
      Set.of("controller-not-found", "controller-not-running", "item-not-found", "no-owner");

  private static final int MAX_DETAIL = 512;

  public enum State {
    /** It answered, if only that there is nothing. */
    OK("ok"),
    /** It did not answer in time. */
    TIMEOUT("timeout"),
    /** There is no connection. */
    UNREACHABLE("unreachable"),
    /** It would not answer. */
    REFUSED("refused"),
    /** It is not the replica that was meant, or does not speak the same protocol. */
    INCOMPATIBLE("incompatible"),
    /**
     * It answered, and its controller has not received all objects of its sources yet. Only shown:
     * the answer itself is {@link #OK}.
     */
    SYNCING("syncing"),
    /** It ran controllers that no replica runs now, and holds no replica Lease any more. */
    GONE("gone");

    private final String label;

    State(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }

    /** Returns the state with a label; {@link #REFUSED} for another one. */
    public static State of(String label) {
      return Arrays.stream(values())
          .filter(state -> state.label.equals(label))
          .findFirst()
          .orElse(REFUSED);
    }
  }

  public static PeerAnswer none(String replica, State state, String error, boolean sent) {
    return new PeerAnswer(replica, state, Json.line(error, MAX_DETAIL), sent, 0, null);
  }

  /** Makes an answer of one that was not asked, and why. */
  public static PeerAnswer unreachable(String replica, String error) {
    return none(replica, State.UNREACHABLE, error, false);
  }

  /** Reads what came back; a problem that is no fact about what was asked for is a refusal. */
  public static PeerAnswer of(String replica, int status, @Nullable ObjectNode body) {
    PeerAnswer answer = new PeerAnswer(replica, State.OK, null, true, status, body);
    return (status < 500 ? status != 401 && status != 403 && status != 429 : answer.nothingThere())
        ? answer
        : answer.refused();
  }

  /** Returns this as the answer of who would not answer. */
  public PeerAnswer refused() {
    String detail = body == null ? "" : ": " + body.path("detail").asText();
    return new PeerAnswer(
        replica,
        State.REFUSED,
        Json.line("it answered " + status + detail, MAX_DETAIL),
        true,
        status,
        body);
  }

  /** Makes an answer without content of this replica, where only who has answered counts. */
  public static PeerAnswer self(String replica) {
    return new PeerAnswer(replica, State.OK, null, true, 200, null);
  }

  /** Makes an answer of what this replica itself says. */
  public static PeerAnswer own(String replica, Response reply) {
    return new PeerAnswer(replica, State.OK, null, true, reply.status(), reply.body());
  }

  /** Makes an answer of what this replica itself refuses. */
  public static PeerAnswer own(String replica, Problem problem, String instance, String requestId) {
    return of(replica, problem.status(), problem.toJson(instance, requestId));
  }

  public boolean ok() {
    return state == State.OK;
  }

  /** Returns whether it has what was asked for. */
  public boolean found() {
    return ok() && status >= 200 && status < 300 && body != null;
  }

  /** Returns whether it has what was asked for, and more of it may come. */
  boolean syncing() {
    return found() && Syncing.in(json());
  }

  /** Returns whether nothing is missing in it. */
  public boolean whole() {
    return ok() && !syncing();
  }

  /** Returns whether it has nothing of what was asked for. */
  boolean nothingThere() {
    return NOTHING_THERE.contains(slug());
  }

  /** Returns the kind of the problem it answered with, or nothing. */
  public String slug() {
    String type = body == null ? "" : body.path("type").asText();
    return type.startsWith(Problem.TYPE_BASE) ? type.substring(Problem.TYPE_BASE.length()) : "";
  }

  /** Returns the body of an answer that has been {@link #found}. */
  public ObjectNode json() {
    if (body == null) {
      throw new IllegalStateException(replica + " has not answered with a body");
    }
    return body;
  }

  /** Returns the problem that it answered with. */
  public Problem problem() {
    ObjectNode json = json();
    Problem problem =
        Problem.of(status, slug(), json.path("title").asText(), json.path("detail").asText());
    for (String member : List.of("errors", "current")) {
      JsonNode told = json.get(member);
      problem = told == null ? problem : problem.withMember(member, told);
    }
    return problem;
  }

  /** Shows the state, as every answer for all replicas does. */
  public ObjectNode toJson() {
    if (syncing()) {
      return none(replica, State.SYNCING, Syncing.why(json()), true).toJson();
    }
    ObjectNode json = Json.object().put("replica", Json.clean(replica)).put("state", state.label());
    if (error != null) {
      json.put("error", error);
    }
    return json;
  }

  /** Shows the states of several replicas, ordered by name. */
  public static ArrayNode states(Collection<PeerAnswer> answers) {
    ArrayNode states = Json.object().putArray("replicas");
    answers.stream()
        .sorted(Comparator.comparing(PeerAnswer::replica))
        .forEach(answer -> states.add(answer.toJson()));
    return states;
  }
}
