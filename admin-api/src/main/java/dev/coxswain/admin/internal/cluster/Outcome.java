// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.util.List;
import java.util.Set;

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
      ObjectNode body = answer.body();
      boolean skipped = body != null && body.path("result").asText().equals("skipped");
      return skipped ? State.SKIPPED : State.DONE;
    }
    if (answer.status() >= 400 && !UNDECIDED.contains(answer.slug())) {
      return answer.slug().isEmpty() && answer.status() >= 500 ? State.UNKNOWN : State.FAILED;
    }
    return answer.sent() ? State.UNKNOWN : State.NOT_SENT;
  }

  /** Returns the response for the client, with the headers of this API. */
  private static Response reply(PeerAnswer answer) {
    ObjectNode body = answer.body();
    if (body == null) {
      return Response.noContent();
    }
    String controller = body.path("controller").asText();
    String id = body.path("id").asText();
    Response reply =
        switch (answer.status()) {
          case 201 ->
              Response.created(body, ApiPaths.ROOT + "/controllers/" + controller + "/items/" + id);
          case 202 -> Response.accepted(body, ApiPaths.ROOT + "/operations/" + id);
          default -> Response.ok(body);
        };
    String rev = body.path("rev").asText(body.path("item").path("rev").asText(""));
    return rev.isEmpty() || answer.status() != 200
        ? reply
        : reply.withHeader("ETag", "\"" + rev + "\"");
  }

  boolean good() {
    return state == State.DONE || state == State.SKIPPED;
  }

  ObjectNode toJson() {
    ObjectNode json = Json.object().put("replica", Json.clean(replica)).put("state", state.label());
    if (answer.status() > 0) {
      json.put("status", answer.status());
    }
    ObjectNode body = answer.body();
    if (state == State.FAILED && body != null) {
      json.put("problem", answer.slug());
      json.put("error", Json.line(body.path("detail").asText(), Json.MAX_ERROR_TEXT));
    } else if (answer.error() != null) {
      json.put("error", answer.error());
    }
    if (body != null && body.get("item") instanceof ObjectNode item) {
      json.set("item", item.deepCopy());
    }
    return json;
  }

  static ArrayNode results(List<Outcome> outcomes) {
    ArrayNode results = Json.object().putArray("results");
    outcomes.forEach(outcome -> results.add(outcome.toJson()));
    return results;
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
        first.answer.body() == null
            ? Problem.of(
                503,
                "replica-unreachable",
                "Replica unreachable",
                "replica \""
                    + Json.line(first.replica, 64)
                    + "\" refused the change: "
                    + first.answer.error())
            : first.answer.problem();
    return problem.withMember("results", results(outcomes)).rejection();
  }
}
