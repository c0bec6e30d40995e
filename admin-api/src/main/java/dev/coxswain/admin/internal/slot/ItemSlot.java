// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.model.SlotResource;
import dev.coxswain.admin.spi.SlotDirectory.Owner;
import dev.coxswain.admin.spi.SlotDirectory.Phase;
import dev.coxswain.admin.spi.SlotDirectory.Slot;
import dev.coxswain.admin.spi.SlotDirectory.Stage;
import dev.coxswain.admin.spi.SlotDirectory.View;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The slot of an item or of a controller, as one replica observes it.
 *
 * <p>Thread rule: immutable.
 *
 * @param self the replica
 * @param number -1 while the replica has not read the slot map
 */
public record ItemSlot(String self, int number, View view) {

  /** The reason of an item that another replica has. */
  public static final String NOT_OWNED = "notOwned";

  /** The reason of an item whose slot has no owner. */
  public static final String UNOWNED = "noOwner";

  private static final String NOT_OWNER = "not-owner";
  private static final String NO_OWNER = "no-owner";
  private static final Set<String> ELSEWHERE = Set.of(NOT_OWNED, UNOWNED);
  private static final int MAX_NAME = 64;
  private static final Slot UNKNOWN = new Slot(0, null, null);

  private Slot slot() {
    return view.slot(number).orElse(UNKNOWN);
  }

  private boolean isKnown() {
    return view.slot(number).isPresent();
  }

  /** Returns the replicas that may have its items: its owner, and the target while it moves. */
  public List<String> replicas() {
    return Stream.of(Optional.ofNullable(slot().owner()), Optional.ofNullable(slot().target()))
        .flatMap(Optional::stream)
        .filter(view::isLive)
        .map(Owner::replica)
        .distinct()
        .toList();
  }

  /** Returns whether a live replica owns it. */
  public boolean isOwned() {
    Owner owner = slot().owner();
    return owner != null && view.isLive(owner);
  }

  /** Returns whether this replica keeps its items. */
  public boolean isHere() {
    return stage() != null;
  }

  /**
   * Returns whether this replica can say that it has no such item: it has the slot, which it does not
   * only await from another one.
   */
  public boolean isComplete() {
    Stage stage = stage();
    return stage != null && stage != Stage.INCOMING;
  }

  private @Nullable Stage stage() {
    return view.own().stages().get(number);
  }

  /** Returns the slot for display; empty while the slot map has not been read. */
  public Optional<SlotResource> shown() {
    return view.slot(number).map(slot -> SlotView.slot(number, slot, view));
  }

  /** Returns its owner in a sentence. */
  public String sentence() {
    if (!isKnown()) {
      return name(self) + " has not read the slot map" + problem() + ".";
    }
    return "Slot " + number + " " + state() + " (epoch " + slot().epoch() + ").";
  }

  private String state() {
    Owner owner = slot().owner();
    Owner target = slot().target();
    if (owner == null) {
      return "has no owner";
    }
    if (!view.isLive(owner)) {
      return "has no live owner: " + name(owner.replica()) + " owned it and has ended";
    }
    return target == null
        ? "is owned by " + name(owner.replica())
        : "moves from " + name(owner.replica()) + " to " + name(target.replica());
  }

  private String problem() {
    return view.own().problem().isEmpty()
        ? ""
        : " (" + Json.line(view.own().problem(), Json.MAX_ERROR_TEXT) + ")";
  }

  private static String name(String replica) {
    return Json.line(replica, MAX_NAME);
  }

  /** Returns why this replica starts nothing in the slot now; empty when it does, or has it not. */
  public Optional<String> blocker() {
    Stage stage = stage();
    if (stage == null) {
      return Optional.empty();
    }
    if (view.own().phase() == Phase.SUSPENDED) {
      return Optional.of(
          "The write deadline of "
              + name(self)
              + " has passed; nothing is started before it renews its replica Lease.");
    }
    return switch (stage) {
      case INCOMING ->
          Optional.of("Slot " + number + " is moving here; nothing is started before it is owned.");
      case CLOSING ->
          Optional.of(
              "Slot "
                  + number
                  + " is being handed over; nothing is started before its target owns it.");
      case OPEN, PREPARING -> Optional.empty();
    };
  }

  /** Returns the refusal of a request for one of its items on this replica. */
  public Problem refusal() {
    Owner owner = slot().owner();
    if (owner == null || !view.isLive(owner)) {
      return unowned();
    }
    if (owner.replica().equals(self)) {
      return noOwner(
          "slot "
              + number
              + " is owned by "
              + name(self)
              + ", which has not opened it"
              + problem());
    }
    return with(
        Problem.of(
            409,
            "not-owner",
            "Not the owner",
            name(self)
                + " does not have slot "
                + number
                + ", which "
                + state()
                + "; send the request without scope and replica"));
  }

  /** Returns the refusal of a request that only an owner can answer. */
  public Problem unowned() {
    return noOwner(isKnown() ? "slot " + number + " " + state() : trimmed(sentence()));
  }

  /** Returns the refusal when no replica has acknowledged that it has the slot. */
  public Problem moving() {
    return noOwner("slot " + number + " is moving, and no replica that answered has it now");
  }

  private Problem noOwner(String detail) {
    return with(Problem.unavailable("no-owner", "No owner", detail + "; try again"));
  }

  private Problem with(Problem problem) {
    return shown().map(slot -> problem.withMember(SlotView.SLOT, slot)).orElse(problem);
  }

  /** Returns whether a replica answered that it does not have the slot. */
  public static boolean isElsewhere(@Nullable Problem problem) {
    return problem != null
        && (problem.slug().equals(NOT_OWNER)
            || (problem.slug().equals(NO_OWNER) && problem.members().containsKey(SlotView.SLOT)));
  }

  /** Returns whether an explanation is of a replica that does not have the slot. */
  public static boolean isElsewhere(ExplanationResource why) {
    return why.slot() != null && ELSEWHERE.contains(why.reason());
  }

  private static String trimmed(String sentence) {
    return sentence.substring(0, sentence.length() - 1);
  }
}
