// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.HeldSlot;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Stage;
import dev.coxswain.sharding.internal.slot.SlotAction;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotContext;
import dev.coxswain.sharding.internal.slot.search.Safeguard;
import dev.coxswain.sharding.internal.slot.simulator.cache.SimulatedCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One replica: its Lease and its slots. */
final class SimulatedReplica extends SimulatedProcess {

  private static final long TICK = 500;

  private final String name;
  private final SimulatedAttempts attempts;
  private final SimulatedPlanner planner;
  private final Optional<SimulatedCache> cache;

  private ReplicaSlots slots = ReplicaSlots.NONE;
  private int incarnation = 1;
  private int ordinal = -1;
  private long version;
  private boolean pending;
  private long deadline;
  private String announced = "";
  private long announcedAt;
  private boolean renewing;
  private boolean leaving;
  private int weight = 100;
  private long noRenewalUntil;
  private Optional<Delay> writeDelay = Optional.empty();
  private Optional<Delay> nextPut = Optional.empty();
  private Optional<Delay> nextRenewal = Optional.empty();

  private boolean sentDelayed;

  SimulatedReplica(SlotSimulation simulation, String name, double rate) {
    super(simulation, rate);
    this.name = name;
    this.attempts = new SimulatedAttempts(simulation, this, simulation.options().slots());
    this.planner = new SimulatedPlanner(simulation, this);
    this.cache = simulation.caches().map(all -> all.start(this));
  }

  String name() {
    return name;
  }

  String identity() {
    return name + "_" + incarnation;
  }

  int ordinal() {
    return ordinal;
  }

  void begin() {
    round();
    tick();
  }

  // Faults

  /** Renewals are lost for a while, and other requests are not. */
  void loseRenewals(long time) {
    noRenewalUntil = Math.max(noRenewalUntil, simulation.now() + time);
  }

  @Override
  void recover() {
    super.recover();
    noRenewalUntil = 0;
  }

  void leave() {
    leaving = true;
  }

  void weight(int next) {
    weight = next;
  }

  /** The writes of objects take so long from now on. */
  void delayWrites(long there) {
    writeDelay = Optional.of(new Delay(there, true));
  }

  Optional<Delay> writeDelay() {
    return writeDelay;
  }

  void delayPut(long there, boolean answered) {
    nextPut = Optional.of(new Delay(there, answered));
  }

  /** Whether the delayed write of the map is under way. */
  boolean hasSentDelayed() {
    return sentDelayed;
  }

  void delayRenewal(long there, boolean answered) {
    nextRenewal = Optional.of(new Delay(there, answered));
  }

  // The Lease

  private void round() {
    if (slots.phase() == ReplicaPhase.ENDED) {
      return;
    }
    if (!renewing && simulation.now() >= noRenewalUntil) {
      renewing = true;
      if (ordinal < 0) {
        planner.list(this::acquire, () -> renewing = false);
      } else {
        renew();
      }
    }
    later(planner.untilNextExpiry(), this::round);
  }

  private SimulatedServer.Lease lease() {
    return new SimulatedServer.Lease(identity(), "", 0, slots.announced(), leaving, weight);
  }

  private void acquire() {
    if (pending && !planner.holds(identity())) {
      newIdentity();
    }
    int wanted = planner.free(identity());
    long expected = planner.version(wanted);
    long sent = clock();
    String id = identity();
    String follows = slots.announced();
    pending = true;
    SimulatedServer.Lease lease = lease();
    call(
        25_000,
        () -> simulation.server().put(wanted, expected, lease),
        stored -> {
          pending = false;
          renewing = false;
          if (stored.isPresent() && id.equals(identity())) {
            ordinal = wanted;
            held(stored.get().version(), sent, follows);
          }
        },
        () -> renewing = false);
  }

  private void renew() {
    long sent = clock();
    long expected = version;
    String follows = slots.announced();
    int at = ordinal;
    SimulatedServer.Lease lease = lease();
    Optional<Delay> scripted = nextRenewal;
    nextRenewal = Optional.empty();
    call(
        25_000,
        scripted,
        () -> simulation.server().put(at, expected, lease),
        stored -> {
          if (stored.isPresent()) {
            held(stored.get().version(), sent, follows);
            planner.list(() -> renewing = false, () -> renewing = false);
          } else {
            reread();
          }
        },
        this::reread);
  }

  /** After a conflict or without an answer the Lease is read. */
  private void reread() {
    int at = ordinal;
    call(
        25_000,
        () -> Optional.ofNullable(simulation.server().leases().get(at)),
        found -> {
          renewing = false;
          if (found.isPresent() && found.get().holder().equals(identity())) {
            version = found.get().version();
          } else {
            lose();
          }
        },
        () -> renewing = false);
  }

  private void held(long stored, long sent, String follows) {
    version = stored;
    deadline =
        simulation.options().has(Safeguard.GRACE)
            ? SimulationOptions.TIMES.writeDeadline(sent)
            : sent + SimulationOptions.TIMES.leaseDuration();
    if (!announced.equals(follows)) {
      announced = follows;
      announcedAt = clock();
    }
    drive();
  }

  private void lose() {
    ordinal = -1;
    newIdentity();
    drive();
  }

  private void newIdentity() {
    incarnation++;
    pending = false;
    announced = "";
  }

  private void release() {
    int at = ordinal;
    String id = identity();
    call(
        25_000,
        () -> {
          SimulatedServer.Lease lease = simulation.server().leases().get(at);
          return lease != null && lease.holder().equals(id)
              ? simulation
                  .server()
                  .put(at, lease.version(), new SimulatedServer.Lease("", "", 0, "", false, 0))
              : Optional.empty();
        },
        stored -> crash(),
        this::crash);
  }

  // The slots

  private void tick() {
    if (slots.phase() != ReplicaPhase.ENDED) {
      planner.read();
      drive();
      later(TICK, this::tick);
    }
  }

  SlotContext.Lease view() {
    return new SlotContext.Lease(identity(), ordinal >= 0, deadline, announced, announcedAt);
  }

  boolean mayWrite() {
    return ordinal >= 0 && SimulationOptions.TIMES.mayWrite(deadline, clock());
  }

  boolean mayStart(int slot) {
    return slots.mayStart(slot, view(), SimulationOptions.TIMES, clock());
  }

  boolean holds(int slot) {
    return slots.held().containsKey(slot);
  }

  boolean isLeaving() {
    return leaving;
  }

  long epoch(int slot) {
    HeldSlot one = slots.held().get(slot);
    return one == null ? -1 : one.epoch();
  }

  ReplicaPhase phase() {
    return slots.phase();
  }

  int open() {
    return (int)
        slots.held().values().stream()
            .filter(one -> one.stage() == Stage.OPEN || one.stage() == Stage.PREPARING)
            .count();
  }

  SimulatedAttempts attempts() {
    return attempts;
  }

  SimulatedPlanner planner() {
    return planner;
  }

  /** Steps until nothing changes. */
  void drive() {
    while (!isGone()) {
      SlotContext context =
          new SlotContext(
              view(),
              planner.known(),
              "",
              attempts,
              planner.unavailable(),
              Set.of(),
              Set.of(),
              leaving,
              0);
      ReplicaSlots.Step step =
          slots.step(context, SimulationOptions.TIMES, simulation.options().moves(), clock());
      boolean same = step.next().equals(slots);
      slots = step.next();
      cache.ifPresent(one -> one.keep(slots.held().keySet()));
      List<SlotChange> changes = new ArrayList<>();
      for (SlotAction action : step.actions()) {
        switch (action) {
          case SlotAction.Open open -> attempts.start(open.slot());
          case SlotAction.Revoke revoke -> attempts.revoke(revoke.slot());
          case SlotAction.Store store -> changes.add(store.change());
          case SlotAction.ReleaseLease release -> release();
          default -> {
            // Rounds and reads come by themselves.
          }
        }
      }
      if (!changes.isEmpty()) {
        Optional<Delay> scripted = nextPut;
        if (planner.put(slots.followed().last().orElseThrow(), changes, scripted)
            && scripted.isPresent()) {
          nextPut = Optional.empty();
          sentDelayed = true;
        }
      }
      if (same) {
        return;
      }
    }
  }
}
