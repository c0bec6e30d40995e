// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotMap;
import java.util.HashSet;
import java.util.Set;

/** The identities that a part of a state names. */
final class References {

  private References() {}

  static Set<String> of(ModelServer s) {
    Set<String> names = new HashSet<>();
    s.map().ifPresent(map -> names.addAll(map.replicas()));
    s.leases()
        .forEach(lease -> {
          names.add(lease.holder());
          names.add(lease.last());
        });
    names.remove("");
    return names;
  }

  static Set<String> of(ModelReplica r) {
    Set<String> names = new HashSet<>();
    names.add(r.slots().identity());
    names.add(r.lease().identity());
    r.slots().followed().last().ifPresent(last -> names.addAll(owners(last.map())));
    r.known().ifPresent(known -> names.addAll(owners(known.map())));
    names.addAll(r.observed().absent().keySet());
    names.addAll(r.observed().ended());
    r.attempts().forEach(attempt -> names.add(attempt.identity()));
    r.put().ifPresent(put -> put.changes().forEach(change -> add(change, names)));
    names.remove("");
    return names;
  }

  private static Set<String> owners(SlotMap map) {
    return map.replicas();
  }

  private static void add(SlotChange change, Set<String> names) {
    switch (change) {
      case SlotChange.Assign c -> names.add(c.to());
      case SlotChange.Drain c -> {
        names.add(c.from());
        names.add(c.to());
      }
      case SlotChange.HandOver c -> {
        names.add(c.from());
        names.add(c.to());
      }
      case SlotChange.Keep c -> names.add(c.from());
      case SlotChange.TakeOver c -> {
        names.add(c.from());
        names.add(c.to());
      }
    }
  }
}
