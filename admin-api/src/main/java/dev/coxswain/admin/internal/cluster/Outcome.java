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
 * What became of a change at one replica.
 *
 * @param answer what it said
 * @param reply the same as an answer to the client
 */
public record Outcome(String replica, State state, PeerAnswer answer, Response reply) {

  /** What a replica says that does not know itself whether it was done. */
  private static final Set<String> NOBODY_KNOWS =
      Set.of("timeout", "internal", Problem.UNKNOWN, "request-running");

  enum State {
    DONE("done"),
    /** There was nothing to do. */
    SKIPPED("skipped"),
    /** It refused, and nothing was changed. */
    FAILED("failed"),
    /** It was asked and did not answer: it may have been done. */
    UNKNOWN("unknown"),
    /** It could not be asked, and nothing was changed there. */
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

  /** Makes an outcome of a replica that could not even be asked whether it is concerned. */
  static Outcome notSent(PeerAnswer answer) {
    return new Outcome(answer.replica(), State.NOT_SENT, answer, Response.noContent());
  }

  private static State state(PeerAnswer answer) {
    if (answer.ok() && answer.status() < 300) {
      ObjectNode body = answer.body();
      boolean skipped = body != null && body.path("result").asText().equals("skipped");
      return skipped ? State.SKIPPED : State.DONE;
    }
    if (answer.status() >= 400 && !NOBODY_KNOWS.contains(answer.slug())) {
      return answer.slug().isEmpty() && answer.status() >= 500 ? State.UNKNOWN : State.FAILED;
    }
    return answer.sent() ? State.UNKNOWN : State.NOT_SENT;
  }

  /** Returns an answer of another replica with the headers that this API gives it. */
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

  /** Returns what to say when no replica has done it. */
  static Rejection nothingDone(List<Outcome> outcomes) {
    if (outcomes.stream().anyMatch(outcome -> outcome.state() == State.UNKNOWN)) {
      return Problem.unknown(
              "the replica that was asked did not answer, so the change may have been made; look"
                  + " before trying again, or send it again with the same Idempotency-Key")
          .with("Retry-After", "1")
          .withMember("results", results(outcomes))
          .rejection();
    }
    List<Outcome> refused =
        outcomes.stream().filter(outcome -> outcome.state() == State.FAILED).toList();
    if (refused.isEmpty()) {
      return Problem.of(
              503,
              "replica-unreachable",
              "Replica unreachable",
              "the replica that it belongs to cannot be reached; nothing was changed")
          .with("Retry-After", "1")
          .withMember("results", results(outcomes))
          .rejection();
    }
    return refused.getFirst().problem().withMember("results", results(outcomes)).rejection();
  }

  private Problem problem() {
    return answer.body() == null
        ? Problem.of(
            503,
            "replica-unreachable",
            "Replica unreachable",
            "replica \"" + Json.line(replica, 64) + "\" refused it: " + answer.error())
        : answer.problem();
  }
}
