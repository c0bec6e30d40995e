// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The response of one replica, or the reason why there is none.
 *
 * @param error the reason; null when the state is {@link State#OK}
 * @param sent whether the request may have reached the replica
 * @param status the HTTP status; 0 without a response
 */
public record PeerAnswer(
    String replica,
    State state,
    @Nullable String error,
    boolean sent,
    int status,
    @Nullable ObjectNode body) {

  /** Problems of a replica that has nothing to contribute: the merged result is complete. */
  private static final Set<String> NOTHING_THERE =
      Set.of("controller-not-found", "controller-not-running", "item-not-found", "no-owner");

  private static final int MAX_DETAIL = 512;

  public enum State {
    /** It answered, with a result or with the fact that it has none. */
    OK("ok"),
    TIMEOUT("timeout"),
    /** There is no connection. */
    UNREACHABLE("unreachable"),
    /** It refused the request. */
    REFUSED("refused"),
    /** It is another replica than requested, or supports another protocol. */
    INCOMPATIBLE("incompatible"),
    /** Its controller has not received all objects of its sources; for display of {@link #OK}. */
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

  /** Returns the answer of a replica that has not received the request. */
  public static PeerAnswer unreachable(String replica, String error) {
    return none(replica, State.UNREACHABLE, error, false);
  }

  /** Returns the answer of a replica that has left the cluster. */
  public static PeerAnswer left(String replica) {
    return unreachable(replica, "it has left");
  }

  /** Returns the answer for a response; a server or access problem is a refusal. */
  public static PeerAnswer of(String replica, int status, @Nullable ObjectNode body) {
    PeerAnswer answer = ok(replica, status, body);
    return (status < 500 ? status != 401 && status != 403 && status != 429 : answer.nothingThere())
        ? answer
        : answer.refused();
  }

  /** Returns the answer for a response that is no refusal. */
  public static PeerAnswer ok(String replica, int status, @Nullable ObjectNode body) {
    return new PeerAnswer(replica, State.OK, null, true, status, body);
  }

  /** Returns an answer without a body. */
  public static PeerAnswer self(String replica) {
    return ok(replica, 200, null);
  }

  /** Returns the answer for a response of this replica. */
  public static PeerAnswer own(String replica, Response response) {
    return ok(replica, response.status(), response.body());
  }

  /** Returns this answer as a refusal. */
  public PeerAnswer refused() {
    String detail = body == null ? "" : ": " + body.path("detail").asText();
    return refused("it answered " + status + detail);
  }

  /** Returns this answer as a refusal for another reason than its status. */
  public PeerAnswer refused(String error) {
    return new PeerAnswer(replica, State.REFUSED, Json.line(error, MAX_DETAIL), true, status, body);
  }

  public boolean ok() {
    return state == State.OK;
  }

  /** Returns whether it has a result. */
  public boolean found() {
    return ok() && status >= 200 && status < 300 && body != null;
  }

  /** Returns whether it has a result that may be incomplete. */
  boolean syncing() {
    return found() && Syncing.in(json());
  }

  /** Returns whether it is complete. */
  public boolean whole() {
    return ok() && !syncing();
  }

  boolean nothingThere() {
    return NOTHING_THERE.contains(slug());
  }

  /** Returns the kind of its problem, or an empty text. */
  public String slug() {
    String type = body == null ? "" : body.path("type").asText();
    return type.startsWith(Problem.TYPE_BASE) ? type.substring(Problem.TYPE_BASE.length()) : "";
  }

  /** Returns the body; there must be one. */
  public ObjectNode json() {
    if (body == null) {
      throw new IllegalStateException("response of " + replica + " has no body");
    }
    return body;
  }

  /** Returns its problem. */
  public Problem problem() {
    ObjectNode json = json();
    Problem problem =
        Problem.of(status, slug(), json.path("title").asText(), json.path("detail").asText());
    for (String member : List.of("errors", "current", "slot")) {
      JsonNode value = json.get(member);
      problem = value == null ? problem : problem.withMember(member, value);
    }
    return status == 503 ? problem.with("Retry-After", "1") : problem;
  }

  /** Returns the state for display, as merged responses list it. */
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

  /** Returns the states of several replicas for display, ordered by name. */
  public static ArrayNode states(Collection<PeerAnswer> answers) {
    ArrayNode states = Json.object().putArray("replicas");
    answers.stream()
        .sorted(Comparator.comparing(PeerAnswer::replica))
        .forEach(answer -> states.add(answer.toJson()));
    return states;
  }

  /**
   * Groups the items of lists by a field, in the order of the lists. Each item becomes the body of an
   * answer of its replica.
   */
  public static Map<String, List<PeerAnswer>> itemsBy(
      String field, Collection<PeerAnswer> answers) {
    Map<String, List<PeerAnswer>> groups = new LinkedHashMap<>();
    for (PeerAnswer answer : answers) {
      for (JsonNode item : answer.found() ? answer.json().path("items") : Json.object()) {
        if (item instanceof ObjectNode object) {
          groups
              .computeIfAbsent(object.path(field).asText(), key -> new ArrayList<>())
              .add(ok(answer.replica(), 200, object));
        }
      }
    }
    return groups;
  }
}
