// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ActionResource;
import dev.coxswain.admin.internal.model.ChangeResult;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The outcome of a change on one replica. Immutable.
 *
 * @param answer the answer of the replica
 * @param reply the response for the client
 */
public record Outcome(String replica, State state, PeerAnswer answer, Response reply) {

  /** The problems after which the change may have been made. */
  private static final Set<String> UNDECIDED =
      Set.of("timeout", "internal", Problem.UNKNOWN, "request-running");

  enum State {
    DONE("done"),
    /** There was nothing to do. */
    SKIPPED("skipped"),
    /** The replica refused it, and nothing was changed. */
    FAILED("failed"),
    /** The replica did not answer: the change may have been made. */
    UNKNOWN("unknown"),
    /** The replica could not be reached, and nothing was changed there. */
    NOT_SENT("not-sent");

    private final String label;

    State(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  static Outcome of(String self, Response reply) {
    PeerAnswer answer = PeerAnswer.own(self, reply);
    return new Outcome(self, state(answer), answer, reply);
  }

  static Outcome of(PeerAnswer answer) {
    return new Outcome(answer.replica(), state(answer), answer, reply(answer));
  }

  /** Returns the outcome of a replica that did not answer the read before the change. */
  static Outcome notSent(PeerAnswer answer) {
    return new Outcome(answer.replica(), State.NOT_SENT, answer, Response.noContent());
  }

  private static State state(PeerAnswer answer) {
    if (answer.ok() && answer.status() < 300) {
      return changed(answer)
              .filter(value -> ChangedValue.SKIPPED.equals(value.result()))
              .isPresent()
          ? State.SKIPPED
          : State.DONE;
    }
    if (answer.status() >= 400 && !UNDECIDED.contains(answer.slug())) {
      return answer.slug().isEmpty() && answer.status() >= 500 ? State.UNKNOWN : State.FAILED;
    }
    return answer.sent() ? State.UNKNOWN : State.NOT_SENT;
  }

  private static Optional<ChangedValue> changed(PeerAnswer answer) {
    return answer.maybe(ChangedValue.class);
  }

  /** Returns the response for the client, with the headers of this API. */
  private static Response reply(PeerAnswer answer) {
    return switch (answer.body()) {
      case null -> Response.noContent();
      case ActionResource action when answer.status() == 201 ->
          Response.created(
              action,
              ApiPaths.ROOT + "/controllers/" + action.controller() + "/items/" + action.id());
      case OperationResource operation when answer.status() == 202 ->
          Response.accepted(operation, ApiPaths.ROOT + "/operations/" + operation.id());
      case Object value -> Response.ok(value);
    };
  }

  boolean good() {
    return state == State.DONE || state == State.SKIPPED;
  }

  private ChangeResult result() {
    Problem problem = state == State.FAILED ? answer.problem() : null;
    return new ChangeResult(
        replica,
        state.label(),
        answer.status() > 0 ? answer.status() : null,
        problem == null ? null : problem.slug(),
        problem == null ? answer.error() : Json.line(problem.detail(), Json.MAX_ERROR_TEXT),
        changed(answer).map(ChangedValue::item).orElse(null));
  }

  static List<ChangeResult> results(List<Outcome> outcomes) {
    return outcomes.stream().map(Outcome::result).toList();
  }

  /** Returns the response for a change that no replica has made. */
  static Rejection nothingDone(List<Outcome> outcomes) {
    if (outcomes.stream().anyMatch(outcome -> outcome.state() == State.UNKNOWN)) {
      return Problem.unknown(
              "a replica received the change and did not answer, so the change may have been made;"
                  + " check before you try again, or repeat it with the same Idempotency-Key")
          .with("Retry-After", "1")
          .withMember("results", results(outcomes))
          .rejection();
    }
    List<Outcome> refused =
        outcomes.stream().filter(outcome -> outcome.state() == State.FAILED).toList();
    if (refused.isEmpty()) {
      return Cluster.unreachable("its replica cannot be reached; nothing was changed")
          .withMember("results", results(outcomes))
          .rejection();
    }
    Outcome first = refused.getFirst();
    Problem problem =
        first.answer.problem() == null
            ? Problem.of(
                503,
                "replica-unreachable",
                "Replica unreachable",
                "replica \""
                    + Json.line(first.replica, 64)
                    + "\" refused the change: "
                    + first.answer.error())
            : first.answer.relayed();
    return problem.withMember("results", results(outcomes)).rejection();
  }

  private static ChangedValue dropped(RequestContext context) {
    return ActionResource.of(
        context.param("c"), context.param("id"), "drop", ChangedValue.APPLIED, null, null);
  }

  /** Merges the bodies of several replicas. */
  static ChangedValue together(RequestContext context, List<Outcome> good) {
    List<ChangedValue> bodies =
        good.stream()
            .map(outcome -> outcome.reply().body())
            .filter(ChangedValue.class::isInstance)
            .map(ChangedValue.class::cast)
            .toList();
    if (bodies.isEmpty()) {
      return dropped(context); // only a drop has no body
    }
    ChangedValue first = bodies.getFirst();
    if (good.size() == 1) {
      return first;
    }
    boolean applied = good.stream().anyMatch(outcome -> outcome.state() == State.DONE);
    String result = applied ? ChangedValue.APPLIED : ChangedValue.SKIPPED;
    String detail =
        bodies.stream()
            .filter(body -> result.equals(body.result()))
            .flatMap(body -> Stream.ofNullable(body.detail()))
            .findFirst()
            .orElse(null);
    ChangedValue whole =
        first instanceof ControllerResource
            ? ControllerMerge.merge(bodies.stream().map(ControllerResource.class::cast).toList())
            : first;
    return whole.outcome(result, detail);
  }
}
