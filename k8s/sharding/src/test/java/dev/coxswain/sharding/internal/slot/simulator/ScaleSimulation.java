// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.membership.MembershipOptions;
import dev.coxswain.sharding.internal.slot.MoveTimes;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotObservation;
import dev.coxswain.sharding.internal.slot.SlotPlanner;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.SlotTimes;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Up to some hundred replicas that share the slots, for the figures of {@code
 * docs/evidence/scale.md}: the production map, observation and planner, and a model of the rest, in
 * milliseconds. Nothing is lost and no clock drifts; {@link SlotSimulation} is for that.
 *
 * <p>Only what changes is simulated. A replica reads the Leases that it observes in each second at a moment of its
 * own, which matters when an expired Lease or a target that is ready is observed; it lists them at the same time, or more
 * seldom when there are many. The server takes the same time for a request whatever its load.
 */
final class ScaleSimulation {

  static final long READ_PERIOD = 1_000;
  static final long RENEW_PERIOD = 2_000;
  static final SlotTimes TIMES = SimulationOptions.TIMES;

  /** Those of the host with the default Lease and drain limit. */
  static final MoveTimes MOVES = new MoveTimes(15_000, 60_000, 10_000, 10_000, 30_000, 30_000);

  private static final long BASE = 1_000_000_000;
  private static final long OPEN = -1;
  private static final String UID = "7f1c1f0e-6d3f-4a52-9a53-0c1e3f6f2d11";

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SlotPlanner planner = new SlotPlanner(TIMES, MOVES);
  private final Random random;
  private final long load;
  private final long attempt;

  /** By ordinal: the holders of the Leases, dead ones included until their Lease is released. */
  private final Map<Integer, ScaleReplica> holders = new TreeMap<>();

  private final Map<String, ScaleReplica> replicas = new HashMap<>();
  private final Map<Integer, String> lastHolders = new HashMap<>();
  private final Map<String, Integer> shares = new HashMap<>();
  private final long[] closedSince;
  private long now;
  private long sequence;
  private int started;

  private StoredSlotMap stored;
  private StoredSlotMap delivered;
  private SlotObservation observed = SlotObservation.NONE;
  private SlotReplicas list = new SlotReplicas(List.of(), Set.of(), 0, 0);
  private long turnAt = OPEN;
  private long planAgainAt = Long.MAX_VALUE;

  private final Counts counts = new Counts();

  /** What happened since the last {@link #reset}. */
  static final class Counts {
    int moves;
    int writes;
    int refusedWrites;
    int fences;
    int refusedFences;
    int loads;
    long longestClosed;
    int largestShare;
    long changedAt;
  }

  private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  /**
   * Creates a simulation without replicas.
   *
   * @param load how long a replica takes to load slots; it loads one batch at a time
   * @param attempt how long the running attempts of a slot take to end
   */
  ScaleSimulation(int slots, long load, long attempt, long seed) {
    this.random = new Random(seed);
    this.load = load;
    this.attempt = attempt;
    this.closedSince = new long[slots];
    this.stored = new StoredSlotMap(UID, BASE, SlotMap.initial(SlotDivision.KEY, slots, BASE), 0);
    this.delivered = stored;
    Arrays.fill(closedSince, 0);
  }

  long now() {
    return now;
  }

  long load() {
    return load;
  }

  long attempt() {
    return attempt;
  }

  Counts counts() {
    return counts;
  }

  SlotMap map() {
    return stored.map();
  }

  StoredSlotMap delivered() {
    return delivered;
  }

  void after(long time, Runnable action) {
    events.add(new Event(now + time, sequence++, action));
  }

  /** The time of one way of a small request. */
  long way() {
    return 1L + random.nextInt(3);
  }

  long below(long most) {
    return (long) (most * random.nextDouble());
  }

  void run(long time) {
    long end = now + time;
    while (!events.isEmpty() && events.peek().at <= end) {
      Event next = events.remove();
      now = next.at;
      next.action.run();
    }
    now = end;
  }

  /** Forgets what happened so far; the time of the next change counts from now. */
  void reset() {
    counts.moves = 0;
    counts.writes = 0;
    counts.refusedWrites = 0;
    counts.fences = 0;
    counts.refusedFences = 0;
    counts.loads = 0;
    counts.longestClosed = 0;
    counts.largestShare = 0;
    counts.changedAt = now;
  }

  Map<String, Integer> shares() {
    return new TreeMap<>(shares);
  }

  boolean isSettled() {
    return Arrays.stream(closedSince).allMatch(since -> since == OPEN)
        && map().entries().stream().noneMatch(SlotEntry::isDraining);
  }

  // Replicas

  private MembershipOptions membership() {
    int most =
        holders.size() < MembershipOptions.MAX_POOL
            ? MembershipOptions.MAX_POOL
            : MembershipOptions.MAX_COUNT;
    return new MembershipOptions("ns", "replica", most, "r", "one", LeaseOptions.DEFAULT);
  }

  /** Returns whether each replica reads some Leases between its lists. */
  boolean isLarge() {
    return membership().isLarge(holders.size());
  }

  /** Returns the time between two lists of a replica. */
  long listPeriod() {
    return membership().listPeriod(holders.size()).toMillis();
  }

  /** Returns the ordinals with a Lease. */
  List<Integer> ordinals() {
    return List.copyOf(holders.keySet());
  }

  ScaleReplica join(String version) {
    int ordinal = 0;
    while (holders.containsKey(ordinal)) {
      ordinal++;
    }
    String pod = "coxswain-%s-%05d".formatted(version, ++started);
    String identity = pod + "_" + new UUID(random.nextLong(), random.nextLong());
    ScaleReplica replica = new ScaleReplica(this, identity, ordinal, version);
    holders.put(ordinal, replica);
    replicas.put(identity, replica);
    after(replica.untilNextList(now), () -> listed(replica));
    return replica;
  }

  /** The replicas end at once, and their Leases expire. */
  void crash(List<ScaleReplica> dead) {
    dead.forEach(ScaleReplica::end);
    for (int slot = 0; slot < closedSince.length; slot++) {
      ScaleReplica owner = replicas.get(map().entry(slot).owner());
      if (owner != null && owner.isGone()) {
        closed(slot);
      }
    }
    ScaleFences fences = new ScaleFences(this, dead);
    holders.values().stream().filter(one -> !one.isGone()).toList().forEach(fences::observe);
  }

  /** Releases the Lease of a replica that has ended; returns whether it was still held. */
  boolean release(ScaleReplica ended) {
    if (holders.get(ended.ordinal()) != ended) {
      return false;
    }
    holders.remove(ended.ordinal());
    lastHolders.put(ended.ordinal(), ended.identity());
    return true;
  }

  boolean holds(ScaleReplica replica) {
    return holders.get(replica.ordinal()) == replica;
  }

  // The planner

  private ScaleReplica first() {
    return holders.values().stream().filter(one -> !one.isGone()).findFirst().orElseThrow();
  }

  private void listed(ScaleReplica replica) {
    if (replica.isGone()) {
      return;
    }
    if (replica == first()) {
      listAndPlan(replica);
    }
    after(listPeriod(), () -> listed(replica));
  }

  /** A replica lists the Leases and plans, if it is the first one or leaves. */
  void listAndPlan(ScaleReplica replica) {
    listAndPlan(replica, false);
  }

  private void listAndPlan(ScaleReplica replica, boolean first) {
    List<SlotReplicas.Replica> live = new ArrayList<>();
    holders.forEach((ordinal, one) ->
        live.add(
            new SlotReplicas.Replica(
                one.identity(), ordinal, 100, one.isLeaving(), one.version(), UID)));
    Set<String> last = new HashSet<>(lastHolders.values());
    boolean same = live.equals(list.live()) && last.equals(list.lastHolders());
    list = new SlotReplicas(live, last, now, now);
    observed =
        observed
            .read(delivered, now)
            .listed(list, shares.keySet(), TIMES, 2 * Math.max(RENEW_PERIOD, listPeriod()));
    if (!same || now >= planAgainAt) {
      plan(replica, first);
    }
  }

  private void plan(ScaleReplica by, boolean first) {
    SlotPlanner.Plan plan = planOnly();
    planAgainAt = plan.after().isPresent() ? now + plan.after().getAsLong() : Long.MAX_VALUE;
    if (plan.after().isPresent()) {
      after(plan.after().getAsLong(), this::planAgain);
    }
    if (plan.changes().isEmpty()) {
      turnAt = OPEN;
      return;
    }
    long rank = by.isLeaving() || first ? 0 : list.rank(by.identity());
    if (turnAt == OPEN) {
      turnAt = now + (long) (rank * 500 * (1 + random.nextDouble()));
    }
    if (now < turnAt && rank > 0) {
      after(turnAt - now, this::planAgain);
      return;
    }
    turnAt = OPEN;
    by.put(plan.changes());
  }

  /** Computes a plan and does nothing with it. */
  SlotPlanner.Plan planOnly() {
    return planner.plan(delivered, list, observed, now);
  }

  /** A write of a replica has been answered. */
  void planAfterWrite(ScaleReplica replica) {
    if (replica.isLeaving() || replica == first()) {
      plan(replica, false);
    }
  }

  /** A replica has released expired Leases, lists them again, and plans before others do. */
  void fenced(ScaleReplica by) {
    planAgainAt = Long.MAX_VALUE;
    listAndPlan(by, true);
  }

  private void planAgain() {
    if (now >= planAgainAt || turnAt != OPEN) {
      plan(first(), false);
    }
  }

  // The server

  /** Replaces exactly a version of the map; returns whether it was the present one. */
  boolean put(StoredSlotMap before, List<? extends SlotChange> changes) {
    if (before.version() != stored.version()) {
      counts.refusedWrites++;
      return false;
    }
    for (SlotChange change : changes) {
      String from = map().entry(change.slot()).owner();
      String to = change.after(map().entry(change.slot())).owner();
      if (!from.equals(to)) {
        counts.moves += from.isEmpty() ? 0 : 1;
        shares.computeIfPresent(from, (_, count) -> count == 1 ? null : count - 1);
        int share = shares.merge(to, 1, Integer::sum);
        counts.largestShare = Math.max(counts.largestShare, share);
      }
    }
    counts.writes++;
    counts.changedAt = now;
    stored = new StoredSlotMap(UID, stored.version() + 1, map().with(changes), now);
    StoredSlotMap next = stored;
    after(way(), () -> deliver(next, changes));
    return true;
  }

  StoredSlotMap read() {
    return stored;
  }

  /** The watches deliver a version of the map; those that it concerns act on it. */
  private void deliver(StoredSlotMap next, List<? extends SlotChange> changes) {
    if (next.version() > delivered.version()) {
      delivered = next;
    }
    Map<ScaleReplica, List<Integer>> concerned = new HashMap<>();
    for (SlotChange change : changes) {
      SlotEntry entry = next.map().entry(change.slot());
      for (String identity : List.of(entry.owner(), entry.target())) {
        ScaleReplica replica = replicas.get(identity);
        if (replica != null) {
          concerned.computeIfAbsent(replica, _ -> new ArrayList<>()).add(change.slot());
        }
      }
    }
    concerned.forEach((replica, slots) -> replica.changed(next.map(), slots));
    planAgainAt = now;
    planAgain();
  }

  ScaleReplica replica(String identity) {
    return Objects.requireNonNull(replicas.get(identity), identity);
  }

  // Slots

  void closed(int slot) {
    if (closedSince[slot] == OPEN) {
      closedSince[slot] = now;
    }
  }

  void opened(int slot) {
    if (closedSince[slot] != OPEN) {
      counts.longestClosed = Math.max(counts.longestClosed, now - closedSince[slot]);
      closedSince[slot] = OPEN;
      counts.changedAt = now;
    }
  }
}
