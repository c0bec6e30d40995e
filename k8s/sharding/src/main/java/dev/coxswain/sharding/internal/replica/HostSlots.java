// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotFunction;
import dev.coxswain.spi.Slots;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The slots of the host, for the engine.
 *
 * <p>Thread rule: any thread.
 */
public final class HostSlots implements Slots {

  private final int count;
  private final SlotDivision division;
  private final Function<String, Duration> timeLeft;

  /** The identity of the terms that are open; written by the thread of the slots. */
  private volatile String identity = "";

  /**
   * Creates slots in which nothing may be started yet.
   *
   * @param division what decides about the slot of a request
   * @param timeLeft returns how long this replica may act under an identity
   */
  public HostSlots(int count, SlotDivision division, Function<String, Duration> timeLeft) {
    this.count = count;
    this.division = division;
    this.timeLeft = timeLeft;
  }

  /** Whether a start was refused since the last {@link #resumes}. */
  private volatile boolean refused;

  private volatile @Nullable SlotEndpoints endpoints;

  /** Sets where the addresses of other owners are found; before the first slot is opened. */
  void endpoints(SlotEndpoints found) {
    endpoints = found;
  }

  @Override
  public Optional<String> otherOwner(int slot) {
    SlotEndpoints known = endpoints;
    return known == null ? Optional.empty() : known.otherOwner(slot);
  }

  @Override
  public Optional<String> otherEndpoint(int slot, String name) {
    SlotEndpoints known = endpoints;
    return known == null ? Optional.empty() : known.otherEndpoint(slot, name);
  }

  @Override
  public void announce(String name, String address) {
    SlotEndpoints known = endpoints;
    if (known != null) {
      known.announce(name, address);
    }
  }

  void identity(String present) {
    identity = present;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public int slotOf(String namespace, String name) {
    return division.slot(namespace, name, count);
  }

  @Override
  public OptionalInt slotOfNamespace(String namespace) {
    return division == SlotDivision.NAMESPACE && !namespace.isEmpty()
        ? OptionalInt.of(SlotFunction.slotOfNamespace(namespace, count))
        : OptionalInt.empty();
  }

  /** Returns what decides about the slot of a request. */
  SlotDivision division() {
    return division;
  }

  @Override
  public boolean mayStart() {
    if (isTimeLeft()) {
      return true;
    }
    refused = true;
    return isTimeLeft(); // a pass after a renewal meanwhile has not seen the refusal
  }

  private boolean isTimeLeft() {
    return timeLeft.apply(identity).compareTo(ReplicaMembership.START_MARGIN) > 0;
  }

  /** Returns whether attempts may be started again after a start was refused. */
  boolean resumes() {
    if (refused && isTimeLeft()) {
      refused = false;
      return true;
    }
    return false;
  }

  /** Returns the slot of a controller that one replica runs. */
  public int slotOfController(String controller) {
    return SlotFunction.slotOfController(controller, count);
  }

  /** Returns the slots of a controller that one replica runs: all its requests are in one slot. */
  public Slots ofController(String controller) {
    int slot = slotOfController(controller);
    return new Slots() {
      @Override
      public int count() {
        return count;
      }

      @Override
      public int slotOf(String namespace, String name) {
        return slot;
      }

      @Override
      public boolean mayStart() {
        return HostSlots.this.mayStart();
      }

      @Override
      public Optional<String> otherOwner(int of) {
        return HostSlots.this.otherOwner(of);
      }
    };
  }
}
