// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ControllerList;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.ControllerResourceBuilder;
import dev.coxswain.admin.internal.model.FindResult;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import java.time.Instant;
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

  /** The field in which a replica that does not run a controller reports the observed owner. */
  public static final String OWNER = "owner";

  private static final String UNOWNED = "unowned";
  private static final String SINCE = "since";
  private static final String LAST_OWNER = "lastOwner";
  private static final Set<String> WITHOUT_OWNER = Set.of(UNOWNED, "starting", "standby");

  private Unowned() {}

  /** Returns the owner as reported by replicas that do not run the controller. */
  public static List<ControllerResource> parts(Collection<PeerAnswer> answers) {
    return answers.stream().map(Unowned::part).flatMap(Optional::stream).toList();
  }

  private static Optional<ControllerResource> part(PeerAnswer answer) {
    Problem problem = answer.problem();
    return problem != null
        ? problem.member(OWNER, ControllerResource.class)
        : answer.body() instanceof FindResult concerned
            ? Optional.ofNullable(concerned.owner())
            : Optional.empty();
  }

  /**
   * Completes a controller that runs on none of the replicas that answered.
   *
   * @param whole the merged controller
   * @param parts the reports of the replicas
   */
  public static ControllerResource whole(
      ControllerResource whole, List<ControllerResource> parts, Collection<PeerAnswer> answers) {
    View view = View.of(parts, answers);
    return ControllerResourceBuilder.builder(whole)
        .state(view.state)
        .since(view.from.since())
        .lastOwner(view.lastOwner == null ? whole.lastOwner() : view.lastOwner)
        .conditions(
            List.of(
                new ControllerResource.Condition(
                    ControllerResource.NO_OWNER,
                    view.from.since(),
                    view.message,
                    view.from.replica())))
        .build();
  }

  /** Returns the refusal of a request that only the owner can answer. */
  public static Rejection refusal(List<ControllerResource> parts, Collection<PeerAnswer> answers) {
    View view = View.of(parts, answers);
    String name = view.from.name();
    if (view.state.equals(IdlePhase.STANDBY.label())) {
      Problem elsewhere = ControllerCalls.stopped(name, view.message).withMember(OWNER, view.from);
      // All of several replicas have answered: the owner has lost its replica Lease, and will soon
      // lose that of the election.
      return (answers.size() > 1 ? elsewhere.with("Retry-After", "2") : elsewhere).rejection();
    }
    Instant since = view.from.since();
    Problem problem =
        Problem.of(
                503,
                "no-owner",
                "No owner",
                "controller \""
                    + name
                    + (Boolean.TRUE.equals(view.from.owned())
                        ? "\" has an owner that does not answer: "
                        : "\" has no owner since "
                            + (since == null ? "" : Durations.shown(since))
                            + ": ")
                    + view.message
                    + "; try again")
            .with("Retry-After", "2")
            .withMember(OWNER, view.from)
            .withMember("replicas", PeerAnswer.states(answers));
    if (since != null) {
      problem = problem.withMember(SINCE, since);
    }
    return (view.lastOwner == null ? problem : problem.withMember(LAST_OWNER, view.lastOwner))
        .rejection();
  }

  /** Returns a response as partial, if it has a controller without an owner; names its last owner. */
  public static MergedValue marked(MergedValue value, String self, Collection<PeerAnswer> answers) {
    List<ControllerResource> unowned =
        value instanceof ControllerList list
            ? list.items()
            : value instanceof ControllerResource one ? List.of(one) : List.of();
    unowned =
        unowned.stream()
            .filter(one -> one.isIdle() && WITHOUT_OWNER.contains(one.state()))
            .toList();
    if (unowned.isEmpty()) {
      return value;
    }
    TreeMap<String, PeerAnswer> missing = new TreeMap<>();
    for (ControllerResource one : unowned) {
      String owner = one.lastOwner();
      if (owner != null && answer(owner, answers).isEmpty()) {
        missing.put(owner, missing(owner, one.state()));
      }
    }
    List<PeerAnswer> all = new ArrayList<>(answers);
    all.addAll(missing.values());
    return value.marked(self, true, PeerAnswer.states(all));
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
  private record View(
      String state, ControllerResource from, @Nullable String lastOwner, String message) {

    static View of(List<ControllerResource> parts, Collection<PeerAnswer> answers) {
      for (ControllerResource part : parts) {
        if (part.state().equals(IdlePhase.STARTING.label())) {
          return new View(part.state(), part, part.lastOwner(), part.replica() + " is starting it");
        }
      }
      ControllerResource from =
          parts.stream()
              .filter(part -> part.lastOwner() != null)
              .findFirst()
              .orElseGet(parts::getFirst);
      boolean owned = Boolean.TRUE.equals(from.owned());
      String owner = from.lastOwner();
      if (owner == null) {
        return new View(UNOWNED, from, null, "no replica was observed to run it");
      }
      Optional<PeerAnswer> answer = answer(owner, answers);
      if (answer.isEmpty()) {
        return owned
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
                  + (owned
                      ? " holds the Lease and does not answer ("
                      : " ran it last and does not answer (")
                  + error
                  + ")");
    }
  }
}
