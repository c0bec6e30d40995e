// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.sharding.internal.ownership.OwnershipTable.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides which controllers this replica may run: those that no other replica runs, or is about to
 * run, with another ownership.
 *
 * <p>Thread rule: any thread; {@link #pass} on one thread.
 */
public final class OwnershipRules implements ControllerGate {
  // A replica stores a claim in its Lease first and lists all Leases afterwards. It runs the
  // controller only if that list contains no claim of another ownership. Of two replicas, one lists
  // after the other has stored its claim, so at least one finds the other's and does not run it. If
  // both do, the one with the higher ordinal withdraws its claim. A claim that is running is never
  // withdrawn, so the first one wins, and a later replica waits until the others have gone.
  //
  // A replica that lost its Lease joins again with its claims as they are. Another replica may run
  // the controller by then with another ownership, so it ends at the first claim that the list
  // shows, until it is admitted under its present identity. The same holds for a controller that
  // was admitted without a Lease. Until then its new slots are not opened.
  //
  // The epoch of a controller is the version of the list that admitted it. What replicas of another
  // ownership had as epochs they had observed before they withdrew their claims, so it is lower.
  // Epochs of slots are versions of the map: what the former owner was admitted with it had
  // observed before the write that moved the slot. So one counter, the version of the store,
  // orders all owners. A controller that every replica runs has no owner: its replicas take the
  // highest epoch that they find in each other's claims.

  /** How long this replica may be without a Lease, as at each start. */
  private static final long PATIENCE = Duration.ofSeconds(2).toNanos();

  private static final String TOO_MANY =
      "this replica has more controllers than its Lease can name, so their ownership cannot be"
          + " compared with that of other replicas: enable fewer controllers";

  private static final String UNKNOWN =
      "a replica that owns slots has no Lease, as after its Lease was deleted by hand, and may still"
          + " run it with another ownership: it starts when a Lease duration has passed";

  private final Runnable signal;
  private final Map<String, Entry> entries = new TreeMap<>();
  private Runnable listener = () -> {};
  private Map<String, Published> parsed = Map.of();
  private ReplicaLeases.@Nullable LeaseList parsedList;

  /** The claims as last returned, and with the number of their version as they are published. */
  private OwnershipTable table = new OwnershipTable(new TreeMap<>());

  private String published = "";
  private long version;
  private boolean begun;
  private long heldAt;

  /** One controller of this replica. */
  private static final class Entry {
    private final Ownership ownership;
    private boolean wanted;

    /** Whether it may run now. */
    private boolean admitted;

    /** Whether it may be running, until it is reported as ended. */
    private boolean running;

    /** Whether the published text contains it. */
    private boolean claimed;

    /** The identity under which it was admitted; empty for none. */
    private String identity = "";

    /** Its epoch when it was last admitted; never decreases. */
    private long epoch;

    private String problem = "";

    Entry(Ownership ownership) {
      this.ownership = ownership;
    }
  }

  /** What a replica has in its Lease. */
  private record Published(String text, OwnershipTable table) {}

  /** A claim of another replica with another ownership. */
  private record Conflict(int ordinal, String replica, Claim claim) {}

  /**
   * Creates the rules.
   *
   * @param signal called when a pass is due, on any thread; must neither block nor throw
   */
  public OwnershipRules(Runnable signal) {
    this.signal = signal;
  }

  @Override
  public void onChange(Runnable changed) {
    synchronized (entries) {
      listener = changed;
    }
  }

  @Override
  public boolean admits(String controller, Ownership ownership, boolean wanted) {
    boolean due;
    boolean admitted;
    synchronized (entries) {
      Entry entry = entries.get(controller);
      if (entry == null || (entry.ownership != ownership && !entry.running)) {
        long epoch = entry == null ? 0 : entry.epoch;
        entry = new Entry(ownership);
        entry.epoch = epoch;
        entries.put(controller, entry);
      }
      entry.admitted &= entry.ownership == ownership; // a new build waits for the end of the other
      due = entry.wanted != wanted;
      entry.wanted = wanted;
      entry.admitted &= wanted;
      admitted = entry.admitted;
    }
    if (due) {
      signal.run();
    }
    return admitted;
  }

  @Override
  public String ended(String controller) {
    boolean due = false;
    String problem = "";
    synchronized (entries) {
      Entry entry = entries.get(controller);
      if (entry != null && !entry.admitted) {
        due = entry.running;
        entry.running = false;
        problem = entry.problem;
      }
    }
    if (due) {
      signal.run();
    }
    return problem;
  }

  @Override
  public long epoch(String controller) {
    synchronized (entries) {
      Entry entry = entries.get(controller);
      return entry == null ? 0 : entry.epoch;
    }
  }

  /**
   * Returns whether each controller in slots that runs, and is not about to stop, was admitted under
   * an identity. Before that another replica may run one with another ownership.
   */
  public boolean isAdmitted(String identity) {
    synchronized (entries) {
      return entries.values().stream()
          .allMatch(entry ->
              !entry.running
                  || !entry.admitted
                  || entry.ownership == Ownership.EVERYWHERE
                  || entry.identity.equals(identity));
    }
  }

  @Override
  public void removed(String controller) {
    boolean due;
    synchronized (entries) {
      due = entries.remove(controller) != null;
    }
    if (due) {
      signal.run();
    }
  }

  /**
   * Decides again, and returns the text that this replica is to publish in its Lease.
   *
   * @param own the Lease of this replica
   * @param list the last list of the Leases, or null before the first; read after {@code own}
   * @param key the key of the text among the attributes
   * @param unknown whether an owner of slots may act of whose claims nothing is known
   * @param problem why claims cannot be compared; empty when they can
   */
  public String pass(
      ReplicaLeases.OwnLease own,
      ReplicaLeases.@Nullable LeaseList list,
      String key,
      boolean unknown,
      String problem,
      long now) {
    SortedMap<String, Claim> claims = new TreeMap<>();
    boolean changed = false;
    int length = 0;
    Runnable changes;
    synchronized (entries) {
      if (own.held() || !begun) {
        begun = true;
        heldAt = now;
      }
      parse(list, key);
      // The version distinguishes a text from an equal one before it, after which another may be
      // under way.
      boolean isStored = own.attributes().getOrDefault(key, "").equals(published);
      int ordinal = own.held() ? ordinal(own, list) : -1;
      boolean fresh = isStored && ordinal >= 0 && list != null && list.sent() - own.storedAt() > 0;
      for (Map.Entry<String, Entry> named : runningFirst()) {
        Entry entry = named.getValue();
        boolean admitted = entry.admitted;
        String before = entry.problem;
        List<Conflict> conflicts = conflicts(named.getKey(), entry.ownership, own, list);
        boolean compared = fresh && entry.claimed && conflicts.isEmpty();
        if (entry.running) {
          keep(entry, conflicts, own, compared, problem);
        } else if (!entry
            .wanted) { // reported also while its slot is elsewhere: a move may bring it
          entry.problem = conflicts.isEmpty() ? "" : text(entry, conflicts.getFirst());
        } else if (unknown && entry.ownership != Ownership.EVERYWHERE) {
          entry.problem = UNKNOWN;
        } else {
          boolean alone =
              !own.held() && entry.ownership == Ownership.EVERYWHERE && now - heldAt > PATIENCE;
          start(entry, conflicts, compared || alone);
          if (!entry.admitted && entry.problem.isEmpty()) {
            entry.problem = problem;
          }
        }
        if (compared && entry.admitted && list != null) {
          compared(named.getKey(), entry, own.identity(), list);
        }
        entry.claimed = false;
        if (entry.running || (entry.wanted && !yields(conflicts, ordinal))) {
          length += named.getKey().length() + 1;
          if (length <= OwnershipTable.MAX_NAMES) {
            claims.put(named.getKey(), claim(entry));
            entry.claimed = true;
          } else if (!entry.admitted) {
            entry.problem = TOO_MANY;
          }
        }
        changed |= admitted != entry.admitted || !before.equals(entry.problem);
      }
      publish(new OwnershipTable(claims));
      changes = listener;
    }
    if (changed) {
      changes.run();
    }
    return published;
  }

  private void publish(OwnershipTable next) {
    if (!next.equals(table)) {
      table = next;
      published = ++version + ";" + next.text();
    }
  }

  /** Those that run keep their place in the text; by name otherwise. */
  private List<Map.Entry<String, Entry>> runningFirst() {
    List<Map.Entry<String, Entry>> all = new ArrayList<>(entries.entrySet());
    all.sort(Comparator.comparing(named -> !named.getValue().running));
    return all;
  }

  private static Claim claim(Entry entry) {
    boolean shown = entry.running && entry.ownership == Ownership.EVERYWHERE;
    return new Claim(entry.ownership, entry.running, shown ? entry.epoch : 0);
  }

  /** Decides on a controller that may be running. */
  private static void keep(
      Entry entry,
      List<Conflict> conflicts,
      ReplicaLeases.OwnLease own,
      boolean compared,
      String problem) {
    boolean rejoined = !entry.identity.equals(own.identity());
    if (rejoined && (!conflicts.isEmpty() || !problem.isEmpty())) {
      entry.admitted = false;
      entry.problem = conflicts.isEmpty() ? problem : text(entry, conflicts.getFirst());
      return;
    }
    // One that is stopping does not come back under another identity before it was compared.
    entry.admitted = entry.wanted && (entry.admitted || !rejoined || compared);
    entry.problem = "";
  }

  /** Decides on a controller that does not run. */
  private static void start(Entry entry, List<Conflict> conflicts, boolean ready) {
    if (!conflicts.isEmpty()) {
      entry.problem = text(entry, conflicts.getFirst());
      return;
    }
    entry.problem = "";
    if (ready) {
      entry.admitted = true;
      entry.running = true;
      entry.identity = "";
    }
  }

  /** No other ownership of an admitted controller is in a list that has the own claim. */
  private void compared(
      String controller, Entry entry, String identity, ReplicaLeases.LeaseList list) {
    long others = entry.ownership == Ownership.EVERYWHERE ? highest(controller, identity, list) : 0;
    boolean first = !entry.identity.equals(identity);
    entry.identity = identity;
    entry.epoch = Math.max(entry.epoch, others > 0 || !first ? others : list.version());
  }

  /** Returns the highest epoch of a controller that other replicas run; 0 when none does. */
  private long highest(String controller, String own, ReplicaLeases.LeaseList list) {
    long highest = 0;
    for (ReplicaLeaseStatus.Taken taken : list.taken()) {
      Published other = parsed.get(taken.identity());
      Claim claim = other == null ? null : other.table().claims().get(controller);
      if (claim != null && !taken.identity().equals(own)) {
        highest = Math.max(highest, claim.epoch());
      }
    }
    return highest;
  }

  private static boolean yields(List<Conflict> conflicts, int ordinal) {
    return conflicts.stream().anyMatch(one -> one.claim().running() || one.ordinal() < ordinal);
  }

  private static String text(Entry entry, Conflict conflict) {
    return "replica "
        + conflict.replica()
        + (conflict.claim().running() ? " runs it" : " is about to run it")
        + " with ownership "
        + OwnershipTable.label(conflict.claim().ownership())
        + ", and this replica has ownership "
        + OwnershipTable.label(entry.ownership)
        + ": this replica does not run it until no replica has the other ownership; its slots of a"
        + " sharded controller wait";
  }

  private List<Conflict> conflicts(
      String controller,
      Ownership ownership,
      ReplicaLeases.OwnLease own,
      ReplicaLeases.@Nullable LeaseList list) {
    if (list == null) {
      return List.of();
    }
    List<Conflict> found = new ArrayList<>();
    for (ReplicaLeaseStatus.Taken taken : list.taken()) {
      Published other = parsed.get(taken.identity());
      Claim claim = other == null ? null : other.table().claims().get(controller);
      if (claim != null
          && claim.ownership() != ownership
          && !taken.identity().equals(own.identity())) {
        found.add(new Conflict(taken.ordinal(), taken.replica(), claim));
      }
    }
    // Those that run are named first.
    found.sort(Comparator.comparing((Conflict one) -> !one.claim().running()));
    return found;
  }

  private void parse(ReplicaLeases.@Nullable LeaseList list, String key) {
    if (list == null || (parsedList != null && parsedList.sent() == list.sent())) {
      return;
    }
    parsedList = list;
    Map<String, Published> all = new TreeMap<>();
    for (ReplicaLeaseStatus.Taken taken : list.taken()) {
      String text = taken.attributes().getOrDefault(key, "");
      Published known = parsed.get(taken.identity());
      if (known == null || !known.text().equals(text)) {
        known = new Published(text, OwnershipTable.parse(text));
      }
      all.put(taken.identity(), known);
    }
    parsed = all;
  }

  private static int ordinal(ReplicaLeases.OwnLease own, ReplicaLeases.@Nullable LeaseList list) {
    return list == null
        ? -1
        : list.taken().stream()
            .filter(taken -> taken.identity().equals(own.identity()))
            .mapToInt(ReplicaLeaseStatus.Taken::ordinal)
            .findFirst()
            .orElse(-1);
  }
}
