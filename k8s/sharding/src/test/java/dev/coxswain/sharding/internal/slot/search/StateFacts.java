// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import java.util.Set;

/**
 * What is examined in each state, computed once for each part of it.
 *
 * <p>Thread rule: any thread.
 */
final class StateFacts {

  /** Makes a result one that is known. */
  private static final int KNOWN = 1 << 30;

  private static final int NAME_BITS = 5;

  private final SearchOptions options;
  private final Parts<ModelServer> servers;
  private final Parts<ModelReplica> replicas;
  private final Parts<String> texts;
  private final Parts<ModelServer>.IntMemo owners;
  private final Parts<ModelServer>.IntMemo lastHolders;
  private final Parts<ModelReplica>.IntMemo names;
  private final Parts<ModelReplica>.IntMemo violations;

  StateFacts(
      SearchOptions options,
      Parts<ModelServer> servers,
      Parts<ModelReplica> replicas,
      Parts<String> texts) {
    this.options = options;
    this.servers = servers;
    this.replicas = replicas;
    this.texts = texts;
    Invariants invariants = new Invariants(options);
    owners = servers.new IntMemo(s -> s.map().map(map -> bits(map.replicas())).orElse(0) | KNOWN);
    lastHolders = servers.new IntMemo(StateFacts::lastHolders);
    names = replicas.new IntMemo(r -> bits(References.of(r)) | KNOWN);
    violations = replicas.new IntMemo(r -> 1 + texts.number(invariants.of(r)));
  }

  static int bits(Set<String> names) {
    int bits = 0;
    for (String name : names) {
      bits |= 1 << index(name);
    }
    return bits;
  }

  static int index(String name) {
    return Names.replica(name) * Names.KEPT + Names.age(name);
  }

  /** One more than the index of the last holder of each Lease, 0 for none. */
  private static int lastHolders(ModelServer s) {
    int packed = KNOWN;
    for (int i = 0; i < s.leases().size(); i++) {
      String last = s.leases().get(i).last();
      packed |= (last.isEmpty() ? 0 : 1 + index(last)) << (NAME_BITS * i);
    }
    return packed;
  }

  private static int lastHolder(int packed, int i) {
    return ((packed >> (NAME_BITS * i)) & ((1 << NAME_BITS) - 1)) - 1;
  }

  /** Returns whether a replica names an identity. */
  boolean names(int replica, String name) {
    return (names.of(replica) >> index(name) & 1) != 0;
  }

  /** Returns which Leases have a last holder that nothing else names, a bit each. */
  int forgotten(int[] state) {
    int last = lastHolders.of(state[0]);
    if (last == KNOWN) {
      return 0;
    }
    int named = owners.of(state[0]);
    for (int i = 0; i < options.replicas(); i++) {
      named |= names.of(state[1 + i]);
    }
    int mask = 0;
    for (int i = 0; i < options.replicas(); i++) {
      int index = lastHolder(last, i);
      mask |= index >= 0 && (named >> index & 1) == 0 ? 1 << i : 0;
    }
    return mask;
  }

  /** Returns the invariant that a state violates; empty for none. */
  String violation(int[] state) {
    int last = lastHolders.of(state[0]);
    for (int i = 0; i < options.replicas(); i++) {
      String violation = texts.value(violations.of(state[1 + i]) - 1);
      if (violation.isEmpty() && lastHolder(last, i) == i * Names.KEPT) {
        violation = Invariants.of(servers.value(state[0]), replicas.value(state[1 + i]), i);
      }
      if (!violation.isEmpty()) {
        return violation;
      }
    }
    return "";
  }
}
