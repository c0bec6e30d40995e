// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.sharding.internal.slot.MoveTimes;
import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.HeldSlot;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Stage;
import dev.coxswain.sharding.internal.slot.SlotAction;
import dev.coxswain.sharding.internal.slot.SlotActivity;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotContext;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.SlotTimes;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.store.MovedSlotStore;
import dev.coxswain.sharding.internal.view.SlotView;
import dev.coxswain.spi.Clock;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the rules of slots to this replica, one pass at a time: it observes the Leases and the
 * map, takes a step of {@link ReplicaSlots}, carries out the actions, and sends at most one request.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
final class SlotDriver {

  private static final Logger LOG = LoggerFactory.getLogger(SlotDriver.class);

  /** The longest time between two passes while a slot moves. */
  static final long MOVING = Duration.ofMillis(50).toNanos();

  /** The same while this replica cannot own its slots, or waits for what is not reported. */
  static final long WAITING = Duration.ofMillis(500).toNanos();

  /** The same while nothing is to be done. What changes is reported, and causes a pass. */
  static final long SETTLED = Duration.ofSeconds(5).toNanos();

  private final ReplicaMembership membership;
  private final SlotAttributes attributes;
  private final SlotRequests requests;
  private final SlotGates gates;
  private final SlotMoves slotMoves;
  private final ShardedControllers users;
  private final Function<HostSlots, SlotLoader> loaders;
  private final SlotTimes times;
  private final MoveTimes moves;
  private final Clock clock;
  private final RandomGenerator random;
  private final SlotActivity activity;
  private final SlotPlans plans;
  private final LoadReports loads;
  private final OwnershipReport reasons;
  private final SlotObserver observer;
  private final SlotCounters counters = new SlotCounters();

  private final AttributeWaits waits = new AttributeWaits();

  private ReplicaSlots state = ReplicaSlots.NONE;
  private @Nullable HostSlots slots;
  private boolean leaving;
  private long leavingSince;

  /** Why this process cannot own slots any more; empty while it can. */
  private String fatal = "";

  private final List<SlotAction.Store> stores = new ArrayList<>();
  private boolean readWanted;

  private volatile SlotView view = SlotView.NONE;

  SlotDriver(
      ReplicaMembership membership,
      SlotAttributes attributes,
      SlotRequests requests,
      SlotGates gates,
      SlotMoves slotMoves,
      ShardedControllers users,
      Function<HostSlots, SlotLoader> loaders,
      SlotWrites writes,
      MoveTimes moves,
      Clock clock,
      RandomGenerator random) {
    this.membership = membership;
    this.attributes = attributes;
    this.requests = requests;
    this.gates = gates;
    this.slotMoves = slotMoves;
    this.users = users;
    this.loaders = loaders;
    this.moves = moves;
    this.clock = clock;
    this.random = random;
    this.reasons = new OwnershipReport(membership, requests, users, clock.nanos());
    this.observer = new SlotObserver(membership);
    this.times = membership.slotTimes();
    this.plans = new SlotPlans(times, moves);
    this.loads = new LoadReports(attributes, gates);
    this.activity =
        new SlotActivity() {
          @Override
          public int attempts(int slot) {
            return gates.isRunning(slot) ? 1 : 0;
          }

          @Override
          public int unanswered(int slot) {
            return writes.unanswered(slot);
          }

          @Override
          public long lastUnanswered(int slot) {
            return writes.lastUnanswered(slot);
          }
        };
  }

  /** Returns what this replica owns and what it has observed; any thread. */
  SlotView view() {
    return view;
  }

  /** Hands all slots over from now on. */
  void leave() {
    leaving = true;
    leavingSince = clock.nanos();
    attributes.leaving();
  }

  boolean hasEnded() {
    return state.phase() == ReplicaPhase.ENDED;
  }

  /**
   * Returns whether an owner of slots has neither a Lease nor ended, as after its Lease was deleted:
   * it may still act.
   */
  boolean mayOthersAct() {
    observer.observe(requests.map(), clock.nanos());
    return !observer.observed().absent().isEmpty();
  }

  /**
   * Takes a pass; returns the time until the next one, in nanoseconds, if nothing changes.
   *
   * @param admitted whether each running controller may run under an identity; otherwise no slot is
   *     opened under it
   */
  long pass(Predicate<String> admitted) {
    long now = clock.nanos();
    ReplicaLeases.OwnLease own = membership.leases().own();
    observer.observe(requests.map(), clock.nanos());
    observer.await(state.followed().last(), state.identity());
    ReplicaSlots.Step step = state.step(context(own, now), times, moves(own, now), now);
    boolean changed = !step.next().equals(state);
    ReplicaSlots before = state;
    if (changed) {
      state = step.next(); // an unchanged state stays the same object, which its readers compare
    }
    stores.clear();
    readWanted = false;
    begin();
    step.actions().forEach(action -> apply(action, before));
    gates.mayOpen(admitted.test(state.identity()));
    gates.flush();
    slotMoves.flush();
    permit();
    loads.publish(state, now);
    long tick = isMoving() ? MOVING : longest(state, isUndisturbed(), own.writeDeadline(), now);
    long wait = hasEnded() ? tick : request(own, tick, now);
    reasons.report(own.held(), slots != null, problem(), now);
    waits.complete(own);
    publish(now);
    return changed ? 0 : wait;
  }

  /** Completes a promise when the attributes in the own Lease pass a test. */
  void await(Predicate<Map<String, String>> stored, Promise<Void> promise) {
    waits.await(stored, promise);
  }

  private void publish(long now) {
    SlotMap map =
        requests.map().or(() -> state.followed().last()).map(StoredSlotMap::map).orElse(null);
    view =
        new SlotView(
            state,
            observer.replicas(),
            requests.map(),
            observer.shares(),
            counters.statistics(map, observer.replicas(), state, now),
            shownProblem(),
            fatal.isEmpty() ? reasons.rejected(problem(), false) : reasons.rejected(fatal, true));
  }

  /**
   * The division into slots becomes known with the first map, and remains: controllers find the slot of a
   * request with it. A later map of another one is not followed, or two replicas would own one request.
   */
  private void begin() {
    Optional<StoredSlotMap> followed = state.followed().last();
    if (followed.isEmpty()) {
      return;
    }
    SlotMap map = followed.get().map();
    if (slots != null) {
      if (map.slots() != slots.count() || map.division() != slots.division()) {
        fatal =
            "the slot map has %d slots by %s, and this replica started with %d by %s; restart this replica"
                .formatted(
                    map.slots(), map.division().label(), slots.count(), slots.division().label());
      }
    } else {
      HostSlots created = new HostSlots(map.slots(), map.division(), membership::timeLeft);
      gates.loadBy(loaders.apply(created));
      users.begin(created);
      slots = created; // last: an exception before is tried again
    }
  }

  /** Starts are permitted for the identity of the terms, after earlier ones have been closed. */
  private void permit() {
    if (slots != null) {
      slots.identity(state.identity());
      if (slots.resumes()) {
        users.refresh();
      }
    }
  }

  private SlotContext context(ReplicaLeases.OwnLease own, long now) {
    return new SlotContext(
        observer.lease(own, now),
        requests.map(),
        fatal.isEmpty() ? requests.problem() : fatal,
        activity,
        observer.unavailable(),
        observer.warm(state.followed().last(), state.identity()),
        observer.loading(state.followed().last(), state.identity()),
        leaving,
        requests.since());
  }

  /** Without another replica, or without the API server, nothing can be handed over. */
  private MoveTimes moves(ReplicaLeases.OwnLease own, long now) {
    if (!leaving) {
      return moves;
    }
    boolean mayAct = own.held() && times.mayWrite(own.writeDeadline(), now);
    if (mayAct && !observer.isAlone(own.identity(), leavingSince)) {
      return moves;
    }
    gates.closeAll();
    return gates.isAnyRunning() && mayAct
        ? moves
        : new MoveTimes(
            moves.calm(), moves.rollOutCalm(), moves.prepare(), moves.load(), moves.close(), 0);
  }

  private void apply(SlotAction action, ReplicaSlots before) {
    switch (action) {
      case SlotAction.Open open -> open(open.slot(), open.epoch(), before);
      case SlotAction.Incoming incoming when has(incoming.slot()) -> {
        gates.incoming(incoming.slot());
        slotMoves.incoming(incoming.slot(), observer.ordinal(incoming.from()));
      }
      case SlotAction.Prepare prepare -> {} // the target sees the map
      case SlotAction.Close close when has(close.slot()) -> gates.close(close.slot());
      case SlotAction.Revoke revoke when has(revoke.slot()) -> gates.revoke(revoke.slot());
      // Of a map that is not followed, since it divides in another way.
      case SlotAction.Incoming _, SlotAction.Close _, SlotAction.Revoke _ -> {}
      case SlotAction.CancelAttempts cancel -> gates.cancelAll();
      // The number of slots has changed, see begin; the rules go on with other numbers.
      case SlotAction.Split split -> before.held().keySet().forEach(gates::revoke);
      case SlotAction.Store store -> {
        if (!(store.change() instanceof SlotChange.HandOver change) || isExported(change)) {
          stores.add(store);
        }
      }
      case SlotAction.Announce announce -> {
        if (fatal.isEmpty()) {
          attributes.follow(announce.uid());
        }
      }
      case SlotAction.ReadMap read -> readWanted = true;
      case SlotAction.Rejoin rejoin -> membership.leases().wake();
      case SlotAction.ReleaseLease release -> {} // the membership stops after the slots
    }
  }

  /** Returns whether this replica divides into so many slots that it has this one. */
  private boolean has(int slot) {
    HostSlots known = slots;
    return known == null || slot < known.count();
  }

  private void open(int slot, long epoch, ReplicaSlots before) {
    counters.opened(slot, epoch, before);
    slotMoves.opened(slot);
    HeldSlot held = before.held().get(slot);
    boolean handedOver = held != null && held.stage() == Stage.INCOMING;
    if (held != null && held.stage() == Stage.CLOSING && gates.isRunning(slot)) {
      LOG.atWarn()
          .addKeyValue("slot", slot)
          .log("slot not handed over, attempts of it have not ended; it is tried again later");
    }
    gates.open(
        slot,
        epoch,
        state.followed().last().orElseThrow().version(), // of the map that this step opens it by
        state.identity(),
        handedOver
            ? slotMoves.fetch(new MovedSlotStore.Term(state.followed().uid(), slot, epoch - 1))
            : null);
  }

  private boolean isExported(SlotChange.HandOver change) {
    return slotMoves.isExported(
        observer.ordinal(state.identity()),
        new MovedSlotStore.Term(state.followed().uid(), change.slot(), change.epoch()));
  }

  /**
   * Sends the next request, if one is due; returns the time until the next pass, at most {@code
   * tick}.
   */
  private long request(ReplicaLeases.OwnLease own, long tick, long now) {
    if (requests.isUnderWay()) {
      return tick; // its answer causes a pass
    }
    if (requests.left(now) > 0) {
      return Math.min(tick, requests.left(now));
    }
    if (!stores.isEmpty()) {
      long others = SlotPlans.untilOthers(state, stores, now);
      if (others > 0) {
        return others;
      }
      List<SlotChange> changes = stores.stream().map(SlotAction.Store::change).toList();
      requests.update(stores.getFirst().before(), changes, now);
      return tick;
    }
    if (readWanted || requests.isStale()) {
      requests.read(now);
      return tick;
    }
    SlotReplicas last = observer.replicas();
    if (last == null || !own.held() || !times.mayWrite(own.writeDeadline(), now)) {
      return tick;
    }
    Optional<StoredSlotMap> map = requests.map();
    // A map that closed all slots and is gone does not keep this replica from making another one.
    boolean usable = map.isEmpty() ? requests.problem().isEmpty() : problem().isEmpty();
    if (!usable || !fatal.isEmpty()) {
      return tick;
    }
    if (map.isEmpty()) {
      long left = plans.turn(true, rank(last, own, now), now, random);
      if (left == 0) {
        requests.create(now);
      }
      return Math.min(tick, Math.max(1, left));
    }
    SlotPlans.Due due = plans.due(map.get(), last, observer.observed(), now);
    long left = plans.turn(!due.changes().isEmpty(), rank(last, own, now), now, random);
    if (due.changes().isEmpty()) {
      return Math.min(tick, due.after());
    }
    if (left == 0) {
      requests.update(map.get(), due.changes(), now);
    }
    return Math.min(tick, Math.max(1, left));
  }

  /**
   * Returns how many replicas plan before this one. None does while it leaves, and none after it has
   * ended the Lease of another replica, which the others have not listed yet.
   */
  private int rank(SlotReplicas last, ReplicaLeases.OwnLease own, long now) {
    return leaving || observer.hasFenced(now) ? 0 : last.rank(own.identity());
  }

  /**
   * Returns the longest time until the next pass while no slot moves. A replica that owns its slots
   * needs one when it may not act on its Lease any more; each step of its membership causes others.
   *
   * @param undisturbed whether there is no problem, and no slot waits for its objects
   */
  static long longest(ReplicaSlots state, boolean undisturbed, long writeDeadline, long now) {
    return undisturbed && state.phase() == ReplicaPhase.HOLDING && state.followed().confirmed()
        ? Math.clamp(writeDeadline - now, 1, SETTLED)
        : WAITING;
  }

  private boolean isUndisturbed() {
    return shownProblem().isEmpty() && requests.failure().isEmpty() && !gates.isWaiting();
  }

  private boolean isMoving() {
    return !stores.isEmpty()
        || leaving
        || state.held().values().stream().map(HeldSlot::stage).anyMatch(s -> s != Stage.OPEN);
  }

  /** Slots that wait for a cache are shown, and do not keep others from being planned. */
  private String shownProblem() {
    Set<Integer> stuck = gates.stuck();
    return problem().isEmpty() && !stuck.isEmpty()
        ? "slots " + stuck + " are closed until a cache has loaded their objects; see the caches"
        : problem();
  }

  private String problem() {
    return requests.problem().isEmpty() ? state.problem() : requests.problem();
  }
}
