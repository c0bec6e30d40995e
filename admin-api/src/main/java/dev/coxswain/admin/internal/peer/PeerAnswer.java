// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The response of one replica, or the reason why there is none.
 *
 * @param error the reason; null when the state is {@link State#OK}
 * @param sent whether the request may have reached the replica
 * @param status the HTTP status; 0 without a response
 * @param body the value of a response that is no problem; null for none
 * @param problem the problem of a response with a status of 400 and more
 * @param change the change that the replica has recorded, as JSON; empty for none
 */
public record PeerAnswer(
    String replica,
    State state,
    @Nullable String error,
    boolean sent,
    int status,
    @Nullable Object body,
    @Nullable Problem problem,
    String change) {

  /** Creates an answer without a change. */
  public PeerAnswer(
      String replica,
      State state,
      @Nullable String error,
      boolean sent,
      int status,
      @Nullable Object body,
      @Nullable Problem problem) {
    this(replica, state, error, sent, status, body, problem, "");
  }

  /** Returns this answer with a change. */
  PeerAnswer withChange(String json) {
    return new PeerAnswer(replica, state, error, sent, status, body, problem, json);
  }

  /** Problems of a replica that has nothing to contribute: the merged result is complete. */
  private static final Set<String> NOTHING_THERE =
      Set.of(
          "controller-not-found",
          "controller-not-running",
          "item-not-found",
          "cause-not-found",
          "no-owner");

  /** The members of a problem that the client receives. */
  private static final Set<String> RELAYED = Set.of("errors", "current", "slot");

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
  }

  public static PeerAnswer none(String replica, State state, String error, boolean sent) {
    return new PeerAnswer(replica, state, Json.line(error, MAX_DETAIL), sent, 0, null, null);
  }

  /** Returns the answer of a replica that has not received the request. */
  public static PeerAnswer unreachable(String replica, String error) {
    return none(replica, State.UNREACHABLE, error, false);
  }

  /** Returns the answer of a replica that has left the cluster. */
  public static PeerAnswer left(String replica) {
    return unreachable(replica, "it has left");
  }

  /** Returns the answer for a problem; a server or access problem is a refusal. */
  public static PeerAnswer of(String replica, Problem problem) {
    PeerAnswer answer =
        new PeerAnswer(replica, State.OK, null, true, problem.status(), null, problem);
    return isRefusal(problem.status()) && !NOTHING_THERE.contains(problem.slug())
        ? answer.refused()
        : answer;
  }

  private static boolean isRefusal(int status) {
    return status >= 500 || status == 401 || status == 403 || status == 429;
  }

  /** Returns the answer for a response that has another form, such as that of a proxy. */
  static PeerAnswer ofAnotherForm(String replica, int status) {
    PeerAnswer answer = new PeerAnswer(replica, State.OK, null, true, status, null, null);
    return isRefusal(status)
        ? answer.refused()
        : none(
            replica, State.INCOMPATIBLE, "its answer is no JSON object of the expected form", true);
  }

  /** Returns the answer with a value. */
  public static PeerAnswer ok(String replica, int status, @Nullable Object body) {
    return new PeerAnswer(replica, State.OK, null, true, status, body, null);
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
    String detail = problem == null || problem.detail().isEmpty() ? "" : ": " + problem.detail();
    return refused("it answered " + status + detail);
  }

  /** Returns this answer as a refusal for another reason than its status. */
  public PeerAnswer refused(String error) {
    return new PeerAnswer(
        replica, State.REFUSED, Json.line(error, MAX_DETAIL), true, status, body, problem);
  }

  /** Returns this answer as one without a refusal. */
  public PeerAnswer accepted() {
    return new PeerAnswer(replica, State.OK, null, true, status, body, problem);
  }

  public boolean ok() {
    return state == State.OK;
  }

  /** Returns whether it has a result. */
  public boolean found() {
    return ok() && status >= 200 && status < 300 && body != null;
  }

  /** Returns why its result may be incomplete; null when it is complete, or there is none. */
  private @Nullable String syncing() {
    return found() ? Syncing.why(value()) : null;
  }

  /** Returns whether it is complete. */
  public boolean whole() {
    return ok() && syncing() == null;
  }

  /** Returns the kind of its problem, or an empty text. */
  public String slug() {
    return problem == null ? "" : problem.slug();
  }

  private Object value() {
    if (body == null) {
      throw new IllegalStateException("response of " + replica + " has no body");
    }
    return body;
  }

  /** Returns the body as a value of a type; there must be one. */
  public <T> T as(Class<T> type) {
    return type.cast(value());
  }

  /** Returns the body as a value of a type; empty for another type and without one. */
  public <T> Optional<T> maybe(Class<T> type) {
    return type.isInstance(body) ? Optional.of(type.cast(body)) : Optional.empty();
  }

  /** Returns its problem for the client; there must be one. */
  public Problem relayed() {
    if (problem == null) {
      throw new IllegalStateException("response of " + replica + " is no problem");
    }
    Map<String, Object> members = new LinkedHashMap<>(problem.members());
    members.keySet().retainAll(RELAYED);
    Problem relayed =
        new Problem(
            status, slug(), problem.title(), problem.detail(), problem.errors(), Map.of(), members);
    return status == 503 ? relayed.with("Retry-After", "1") : relayed;
  }

  /** Returns the state for display, as merged responses list it. */
  public ReplicaState shown() {
    String why = syncing();
    return why == null
        ? new ReplicaState(replica, state.label(), error)
        : none(replica, State.SYNCING, why, true).shown();
  }

  /** Returns the states of several replicas for display, ordered by name. */
  public static List<ReplicaState> states(Collection<PeerAnswer> answers) {
    return answers.stream()
        .sorted(Comparator.comparing(PeerAnswer::replica))
        .map(PeerAnswer::shown)
        .toList();
  }
}
