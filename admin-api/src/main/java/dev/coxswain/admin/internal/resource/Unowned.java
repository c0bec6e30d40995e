// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Controllers that a replica has and does not run. When no replica that answers runs a controller,
 * it has no owner. Any thread.
 *
 * <p>When an owner may still act by its Lease, and the request was not sent to it, the controller
 * is {@code standby} and not {@code unowned}.
 */
public final class Unowned {

  /** The condition of a controller without an owner. */
  static final String CONDITION = "noOwner";

  /** The field in which a replica that does not run a controller reports the observed owner. */
  public static final String OWNER = "owner";

  private static final String UNOWNED = "unowned";
  private static final String STATE = "state";
  private static final String SINCE = "since";
  private static final String LAST_OWNER = "lastOwner";
  private static final String OWNED = "owned";
  private static final Set<String> WITHOUT_OWNER = Set.of(UNOWNED, "starting", "standby");

  private Unowned() {}

  /** Returns a controller that does not run on this replica. */
  static ObjectNode part(IdleController idle, String replica) {
    ObjectNode json = Json.object();
    json.put("kind", "Controller");
    json.put("name", Json.clean(idle.name()));
    json.put("replica", Json.clean(replica));
    return facts(json, idle);
  }

  /** Adds the owner that a replica has observed. */
  public static ObjectNode facts(ObjectNode json, IdleController idle) {
    json.put(STATE, idle.phase().label());
    Json.putTime(json, SINCE, idle.since());
    String last = idle.lastOwner();
    if (last != null) {
      json.put(LAST_OWNER, Json.clean(last));
    }
    json.put(OWNED, idle.owned());
    return json;
  }

  /** Returns whether this is the controller of a replica that does not run it. */
  public static boolean isIdle(JsonNode controller) {
    return controller.has(OWNED);
  }

  /** Returns the owner as reported by replicas that do not run the controller. */
  public static List<ObjectNode> parts(Collection<PeerAnswer> answers) {
    List<ObjectNode> parts = new ArrayList<>();
    for (PeerAnswer answer : answers) {
      ObjectNode body = answer.body();
      if (body != null && body.get(OWNER) instanceof ObjectNode part) {
        parts.add(part);
      }
    }
    return parts;
  }

  /**
   * Completes a controller that runs on none of the replicas that answered.
   *
   * @param whole the merged controller; it is changed
   * @param parts the reports of the replicas
   */
  public static ObjectNode whole(
      ObjectNode whole, List<ObjectNode> parts, Collection<PeerAnswer> answers) {
    View view = View.of(parts, answers);
    whole.put(STATE, view.state);
    whole.set(SINCE, view.from.get(SINCE));
    if (view.lastOwner != null) {
      whole.put(LAST_OWNER, view.lastOwner);
    }
    whole
        .putArray("conditions")
        .addObject()
        .put("type", CONDITION)
        .put("message", view.message)
        .put("replica", view.from.path("replica").asText())
        .set(SINCE, view.from.get(SINCE));
    return whole;
  }

  private static String since(JsonNode controller) {
    String text = controller.path(SINCE).asText();
    return Durations.parseTime(text).map(time -> Durations.shown(time).toString()).orElse(text);
  }

  /** Returns the refusal of a request that only the owner can answer. */
  public static Rejection refusal(List<ObjectNode> parts, Collection<PeerAnswer> answers) {
    View view = View.of(parts, answers);
    String name = view.from.path("name").asText();
    if (view.state.equals(IdlePhase.STANDBY.label())) {
      Problem elsewhere = ControllerCalls.stopped(name, view.message).withMember(OWNER, view.from);
      // All of several replicas have answered: the owner has lost its replica Lease, and will soon
      // lose that of the election.
      return (answers.size() > 1 ? elsewhere.with("Retry-After", "2") : elsewhere).rejection();
    }
    boolean owned = view.from.path(OWNED).asBoolean();
    Problem problem =
        Problem.of(
                503,
                "no-owner",
                "No owner",
                "controller \""
                    + name
                    + (owned
                        ? "\" has an owner that does not answer: "
                        : "\" has no owner since " + since(view.from) + ": ")
                    + view.message
                    + "; try again")
            .with("Retry-After", "2")
            .withMember(SINCE, view.from.path(SINCE))
            .withMember(OWNER, view.from)
            .withMember("replicas", PeerAnswer.states(answers));
    return (view.lastOwner == null
            ? problem
            : problem.withMember(LAST_OWNER, TextNode.valueOf(view.lastOwner)))
        .rejection();
  }

  /** Makes a response with a controller without an owner partial, and names its last owner. */
  public static void mark(ObjectNode body, Collection<PeerAnswer> answers) {
    List<JsonNode> unowned = new ArrayList<>();
    if (body.get("items") instanceof ArrayNode items) {
      items.forEach(unowned::add);
    } else {
      unowned.add(body);
    }
    unowned.removeIf(one -> !isIdle(one) || !WITHOUT_OWNER.contains(one.path(STATE).asText()));
    if (unowned.isEmpty()) {
      return;
    }
    TreeMap<String, PeerAnswer> missing = new TreeMap<>();
    for (JsonNode one : unowned) {
      String owner = one.path(LAST_OWNER).asText();
      if (!owner.isEmpty() && answer(owner, answers).isEmpty()) {
        missing.put(owner, missing(owner, one.path(STATE).asText()));
      }
    }
    List<PeerAnswer> all = new ArrayList<>(answers);
    all.addAll(missing.values());
    body.put("partial", true);
    body.set("replicas", PeerAnswer.states(all));
  }

  /**
   * Returns the last owners of controllers without an owner, except the replicas of these answers.
   */
  public static List<PeerAnswer> formerOwners(
      List<IdleController> idle, Collection<PeerAnswer> answers) {
    TreeMap<String, PeerAnswer> formerOwners = new TreeMap<>();
    for (IdleController one : idle) {
      String owner = one.lastOwner();
      if (owner != null && !one.owned() && answer(owner, answers).isEmpty()) {
        formerOwners.put(owner, missing(owner, UNOWNED));
      }
    }
    return List.copyOf(formerOwners.values());
  }

  private static PeerAnswer missing(String owner, String state) {
    return state.equals(IdlePhase.STANDBY.label())
        ? PeerAnswer.unreachable(
            owner, "it owns controllers, and this replica does not have its" + " address")
        : PeerAnswer.none(
            owner,
            PeerAnswer.State.GONE,
            "it ran controllers that no replica runs now, and no longer holds a replica Lease",
            false);
  }

  private static Optional<PeerAnswer> answer(String replica, Collection<PeerAnswer> answers) {
    return answers.stream().filter(answer -> answer.replica().equals(replica)).findFirst();
  }

  /**
   * The merged state of the parts.
   *
   * @param from the part that the state is taken from
   */
  private record View(String state, ObjectNode from, @Nullable String lastOwner, String message) {

    static View of(List<ObjectNode> parts, Collection<PeerAnswer> answers) {
      for (ObjectNode part : parts) {
        if (part.path(STATE).asText().equals(IdlePhase.STARTING.label())) {
          String replica = part.path("replica").asText();
          return new View(
              IdlePhase.STARTING.label(), part, owner(part), replica + " is starting it");
        }
      }
      ObjectNode from =
          parts.stream()
              .filter(part -> part.has(LAST_OWNER))
              .findFirst()
              .orElseGet(parts::getFirst);
      String owner = owner(from);
      if (owner == null) {
        return new View(UNOWNED, from, null, "no replica was observed to run it");
      }
      Optional<PeerAnswer> answer = answer(owner, answers);
      if (answer.isEmpty()) {
        return from.path(OWNED).asBoolean()
            ? new View(
                IdlePhase.STANDBY.label(),
                from,
                owner,
                owner + " owns it, and the request was not sent to that replica")
            : new View(
                UNOWNED,
                from,
                owner,
                owner + " ran it last, and no other replica has taken it over yet");
      }
      String error = answer.get().error();
      return new View(
          UNOWNED,
          from,
          owner,
          error == null
              ? owner + " ran it last, and no replica has started it since"
              : owner
                  + (from.path(OWNED).asBoolean()
                      ? " holds the Lease and does not answer ("
                      : " ran it last and does not answer (")
                  + error
                  + ")");
    }

    private static @Nullable String owner(ObjectNode part) {
      String owner = part.path(LAST_OWNER).asText();
      return owner.isEmpty() ? null : owner;
    }
  }
}
