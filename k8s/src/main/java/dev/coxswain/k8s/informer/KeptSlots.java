// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.internal.slots.SlotSet;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Slots;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The slots whose objects the filtered informers of this process keep. At first there are none.
 *
 * <p>The host keeps a slot before it opens it in the controllers, and releases it when the slot is
 * no longer its own. An informer is filtered while all its users are sharded controllers whose
 * mapping of objects to requests is static; the others keep all objects.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class KeptSlots {

  private final SlotSet kept;
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Informer<?>> informers = new HashSet<>();
  private final List<Waiter> waiters = new ArrayList<>();

  private record Waiter(BitSet slots, Promise<Void> done) {}

  /**
   * Creates an empty set.
   *
   * @param slots the division of requests into slots, with a number of slots that does not change
   */
  public KeptSlots(Slots slots) {
    this.kept = new SlotSet(slots);
  }

  /**
   * Keeps the objects of slots from now on, and loads them in every filtered informer. Informers
   * that start later load them with their first list. A failed load is repeated after a pause.
   *
   * @return a future that completes when all filtered informers hold the objects, on any thread; it
   *     fails when one of the slots is released before. It does not wait for an informer that has
   *     not read its first list, nor for one whose resource is not installed: their sources deliver
   *     the objects when they have them
   * @throws IndexOutOfBoundsException when there is no such slot
   */
  public Future<Void> keep(Collection<Integer> slots) {
    BitSet more = kept.of(slots);
    Promise<Void> done = Promise.promise();
    List<Informer<?>> all;
    lock.lock();
    try {
      kept.add(more);
      waiters.add(new Waiter(more, done));
      all = List.copyOf(informers);
    } finally {
      lock.unlock();
    }
    all.forEach(Informer::loadMissing);
    onLoaded();
    return done.future();
  }

  /**
   * Drops the objects of slots. Listeners receive no deletions, since nothing was deleted.
   *
   * @throws IndexOutOfBoundsException when there is no such slot
   */
  public void release(Collection<Integer> slots) {
    BitSet released = kept.of(slots);
    List<Informer<?>> all;
    List<Waiter> ended;
    lock.lock();
    try {
      kept.remove(released);
      all = List.copyOf(informers);
      // Before the same slots can be kept again: events of theirs are passed over from now on.
      all.forEach(informer -> informer.release(released));
      ended = waiters.stream().filter(waiter -> waiter.slots.intersects(released)).toList();
      waiters.removeAll(ended);
    } finally {
      lock.unlock();
    }
    all.forEach(informer -> informer.released(released));
    ended.forEach(waiter ->
        waiter.done.fail(new IllegalStateException("slots were released before they were loaded")));
  }

  /** Returns whether the slot of a request is kept, loaded or not. */
  public boolean isKept(String namespace, String name) {
    return kept.now().get(kept.slotOf(new Request(namespace, name)));
  }

  /** Returns the slots themselves. */
  SlotSet kept() {
    return kept;
  }

  void add(Informer<?> informer) {
    lock.lock();
    try {
      informers.add(informer);
    } finally {
      lock.unlock();
    }
  }

  void remove(Informer<?> informer) {
    lock.lock();
    try {
      informers.remove(informer);
    } finally {
      lock.unlock();
    }
    onLoaded();
  }

  /** Completes the futures of slots that all informers hold. */
  void onLoaded() {
    List<Waiter> done = new ArrayList<>();
    lock.lock();
    try {
      Iterator<Waiter> each = waiters.iterator();
      while (each.hasNext()) {
        Waiter waiter = each.next();
        if (informers.stream().allMatch(informer -> informer.hasLoaded(waiter.slots))) {
          each.remove();
          done.add(waiter);
        }
      }
    } finally {
      lock.unlock();
    }
    done.forEach(waiter -> waiter.done.complete());
  }
}
