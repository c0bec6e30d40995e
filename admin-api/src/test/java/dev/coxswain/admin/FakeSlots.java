// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.spi.SlotDirectory;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fake slot map of eight slots, and what each replica makes of it. No protocol: a test sets owners
 * and stages, and nothing moves by itself. The slot of a name is the number at its end.
 */
public final class FakeSlots {

  public static final int COUNT = 8;

  private List<SlotDirectory.Slot> shown = List.of();
  private final List<SlotDirectory.Slot> slots =
      new ArrayList<>(Collections.nCopies(COUNT, new SlotDirectory.Slot(7, null, null)));
  private final Map<String, SlotDirectory.Share> shares = new TreeMap<>();
  private final Map<String, OfReplica> replicas = new ConcurrentHashMap<>();
  private int version = 100;

  public static SlotDirectory.Owner owner(int replica) {
    return new SlotDirectory.Owner("coxswain-" + replica, "coxswain-" + replica + "_1");
  }

  /** Gives slots 0, 3, 6 to replica 0, slots 1, 4, 7 to replica 1, and so on; epochs from 10. */
  public synchronized FakeSlots spread(int replicas) {
    for (int i = 0; i < replicas; i++) {
      live(i, 1);
    }
    for (int slot = 0; slot < COUNT; slot++) {
      slots.set(slot, new SlotDirectory.Slot(10 + slot, owner(slot % replicas), null));
    }
    return this;
  }

  public synchronized void live(int replica, int weight) {
    shares.put(
        "coxswain-" + replica,
        new SlotDirectory.Share(
            "coxswain-" + replica, owner(replica).identity(), weight, weight == 0, false));
  }

  /** Ends a replica: its Lease is gone, and the slot map still has it. */
  public synchronized void end(int replica) {
    shares.remove("coxswain-" + replica);
  }

  public synchronized void set(int slot, SlotDirectory.@Nullable Owner owner) {
    version++;
    slots.set(slot, new SlotDirectory.Slot(slots.get(slot).epoch() + 1, owner, null));
  }

  public synchronized void move(int slot, int target) {
    version++;
    SlotDirectory.Slot old = slots.get(slot);
    slots.set(slot, new SlotDirectory.Slot(old.epoch(), old.owner(), owner(target)));
  }

  public OfReplica at(int replica) {
    return replicas.computeIfAbsent("coxswain-" + replica, OfReplica::new);
  }

  private synchronized SlotDirectory.View view(String replica, OfReplica of) {
    shown = shown.equals(slots) ? shown : List.copyOf(slots); // as a host keeps them
    Map<Integer, SlotDirectory.Stage> stages = new TreeMap<>();
    for (int slot = 0; slot < COUNT; slot++) {
      SlotDirectory.Owner owner = slots.get(slot).owner();
      SlotDirectory.Owner target = slots.get(slot).target();
      if (target != null && target.replica().equals(replica)) {
        stages.put(slot, SlotDirectory.Stage.INCOMING);
      } else if (owner != null && owner.replica().equals(replica)) {
        stages.put(slot, target == null ? SlotDirectory.Stage.OPEN : SlotDirectory.Stage.PREPARING);
      }
    }
    stages.putAll(of.stages);
    stages.keySet().removeAll(of.closed);
    return new SlotDirectory.View(
        "uid-1",
        Integer.toString(version),
        "fake/1",
        shown,
        List.copyOf(shares.values()),
        new SlotDirectory.Own(of.phase, stages, of.problem));
  }

  /** The slots as one replica observes them. */
  public final class OfReplica implements SlotDirectory {

    private final String replica;
    public final AtomicInteger drains = new AtomicInteger();
    public final Map<Integer, Stage> stages = new ConcurrentHashMap<>();
    public final List<Integer> closed = Collections.synchronizedList(new ArrayList<>());
    public volatile Phase phase = Phase.HOLDING;
    public volatile String problem = "";
    public volatile String rejected = "";
    public final AtomicInteger deletions = new AtomicInteger();
    public volatile Supplier<Future<Void>> stored = Future::succeededFuture;
    private volatile @Nullable View frozen;

    OfReplica(String replica) {
      this.replica = replica;
    }

    /** From now on, this replica has the slot map as it is now. */
    public void freeze() {
      frozen = view();
    }

    /** From now on, this replica has not read the slot map. */
    public void forget() {
      frozen = new View("", "", "", List.of(), List.of(), new Own(Phase.JOINING, Map.of(), ""));
    }

    @Override
    public View view() {
      View old = frozen;
      return old == null ? FakeSlots.this.view(replica, this) : old;
    }

    @Override
    public int slotOf(String namespace, String name) {
      String digits = name.replaceAll("(?s).*?([0-9]{0,4})\\z", "$1");
      int number = digits.isEmpty() ? name.hashCode() : Integer.parseInt(digits);
      return view().slots().isEmpty() ? -1 : Math.floorMod(number, COUNT);
    }

    @Override
    public String rejected() {
      return rejected;
    }

    @Override
    public Future<Void> deleteMap() {
      deletions.incrementAndGet();
      return stored.get();
    }

    @Override
    public Future<Void> drain(boolean on) {
      drains.incrementAndGet();
      return stored
          .get()
          .onSuccess(done -> {
            synchronized (FakeSlots.this) {
              shares.computeIfPresent(
                  replica,
                  (name, old) -> new Share(name, old.identity(), on ? 0 : 1, on, old.leaving()));
            }
          });
    }
  }
}
