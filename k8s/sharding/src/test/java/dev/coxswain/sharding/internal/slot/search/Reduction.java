// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.SlotObservation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes states equal from which the same violations can be reached, so that fewer are searched. Each
 * part has its reason; {@link RemovedSafeguardTest} examines that it still finds violations.
 */
final class Reduction {

  // 1. Attempts and writes. Where an attempt may start and end, and a write may be sent and be
  // answered, at no time and without an effect on another part, the states with and without it lead
  // to each other, so they are one. It is represented by the one with everything: an attempt that
  // may start has started, and a write that may be sent is on its way. Its actions are those of all
  // of them (variants). A write of the unit before is answered and sent again; it has its effect
  // for
  // longer, and its answer may come at any time.
  //
  // 2. Ages of Leases. When no fault is left, a timely holder renews in each unit of time, which
  // sets the age of its Lease back. An age that cannot reach the duration before does not matter.
  //
  // 3. Ended and absent identities. They are compared with owners and targets of maps, and with
  // holders. One that none of these names, and no change in flight, is never named again.
  //
  // 4. The order of maps. After a Lease duration it does not matter that there was another map
  // before: there is nothing left to wait for.
  //
  // 5. Which kinds of deletions have happened matters only while a fault is left.

  private final SearchOptions options;
  private final Driver driver;

  Reduction(SearchOptions options) {
    this.options = options;
    this.driver = new Driver(options);
  }

  /** Returns the form in which replicas that behave alike are equal. */
  ModelReplica normal(ModelReplica r) {
    Transform transform = Transform.shift(0, options.gap());
    ModelReplica before = r;
    for (ModelReplica next = step(transform, r); !next.equals(before); ) {
      before = next;
      next = step(transform, next);
    }
    return before;
  }

  private ModelReplica step(Transform transform, ModelReplica r) {
    ModelReplica next = transform.apply(r);
    return options.reduced() ? settled(running(next)) : next;
  }

  private ModelReplica running(ModelReplica r) {
    ModelReplica next = r;
    for (int slot = 0; slot < options.slots(); slot++) {
      if (options.runs(slot) && driver.mayStart(next, slot)) {
        next = driver.start(next, slot);
      }
      if (driver.mayWrite(next, slot)) {
        next = driver.write(next, slot);
      }
    }
    return next;
  }

  private static ModelReplica settled(ModelReplica r) {
    Optional<SlotObservation.Uid> uid = r.observed().map();
    if (uid.isEmpty()
        || !uid.get().replaced()
        || Names.NOW - uid.get().since() < SearchOptions.TIMES.leaseDuration()) {
      return r;
    }
    SlotObservation o = r.observed();
    SlotObservation.Uid only = new SlotObservation.Uid(uid.get().uid(), Names.NOW, false);
    return r.with(
        new SlotObservation(
            o.absent(), o.ended(), o.replicas(), o.calmSince(), Optional.of(only), o.listed()),
        r.ages());
  }

  /** Returns the replicas that this one stands for, itself first. */
  List<ModelReplica> variants(ModelReplica r) {
    List<ModelReplica> all = new ArrayList<>(List.of(r));
    if (options.reduced()) {
      for (int slot = 0; slot < options.slots(); slot++) {
        for (ModelReplica one : List.copyOf(all)) {
          boolean writes = driver.mayWrite(one, slot);
          if (writes) {
            all.add(one.with(slot, ModelReplica.Write.NONE));
          }
          ModelReplica ended = one.with(slot, ModelReplica.Attempt.NONE);
          if (options.runs(slot)
              && !ended.equals(one)
              && driver.mayStart(ended, slot)
              && driver.start(ended, slot).equals(one)) {
            all.add(ended);
            if (writes) {
              all.add(ended.with(slot, ModelReplica.Write.NONE));
            }
          }
        }
      }
    }
    return all;
  }

  /** Returns whether a replica renews its Lease in each unit of time. */
  static boolean renews(ModelReplica r) {
    return !r.silent() && r.lease().held();
  }

  /** Returns the Leases whose holders renew in each unit of time from now on, a bit each. */
  static int renewable(ModelServer s) {
    int mask = 0;
    for (int i = 0; i < s.leases().size(); i++) {
      boolean present = s.leases().get(i).holder().equals(Names.present(i));
      mask |= present && s.isUp() && s.left().faults() == 0 ? 1 << i : 0;
    }
    return mask;
  }

  /** Returns a replica without the ages of Leases that are renewed before they expire. */
  static ModelReplica withoutAges(ModelReplica r, int leases) {
    List<Integer> ages = new ArrayList<>(r.ages());
    for (int i = 0; i < ages.size(); i++) {
      // It grows by one before the next renewal, with which it is set back.
      if ((leases >> i & 1) != 0 && ages.get(i) + 1 < SearchOptions.TIMES.leaseDuration()) {
        ages.set(i, ModelReplica.CHANGED);
      }
    }
    return r.with(r.observed(), List.copyOf(ages));
  }

  static Set<String> observed(ModelReplica r) {
    Set<String> names = new HashSet<>(r.observed().absent().keySet());
    names.addAll(r.observed().ended());
    return names;
  }

  /** Returns a replica without observations of identities that nothing names. */
  static ModelReplica without(ModelReplica r, Set<String> unnamed) {
    SlotObservation o = r.observed();
    Map<String, Long> absent = new HashMap<>(o.absent());
    absent.keySet().removeAll(unnamed);
    Set<String> ended = new HashSet<>(o.ended());
    ended.removeAll(unnamed);
    return r.with(
        new SlotObservation(absent, ended, o.replicas(), o.calmSince(), o.map(), o.listed()),
        r.ages());
  }

  static ModelServer normal(ModelServer s) {
    return s.left().faults() == 0 ? s.with(new ModelServer.Left(0, false, false)) : s;
  }
}
