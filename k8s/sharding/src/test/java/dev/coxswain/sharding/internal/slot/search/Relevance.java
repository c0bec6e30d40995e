// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The parts of {@link Reduction} that depend on a whole state, computed once for each part of it.
 *
 * <p>Thread rule: any thread.
 */
final class Relevance {

  /** Makes a result one that is known. */
  private static final int KNOWN = 1 << 30;

  private final int count;
  private final Parts<ModelReplica> replicas;
  private final Parts<ModelServer>.Memo normal;
  private final Parts<ModelServer>.IntMemo renewable;
  private final Parts<ModelServer>.IntMemo named;
  private final Parts<ModelReplica>.IntMemo renews;
  private final Parts<ModelReplica>.IntMemo naming;
  private final Parts<ModelReplica>.IntMemo observed;
  private final Map<Integer, Parts<ModelReplica>.Memo> withoutAges = new ConcurrentHashMap<>();
  private final Map<Integer, Parts<ModelReplica>.Memo> withoutNames = new ConcurrentHashMap<>();

  Relevance(SearchOptions options, Parts<ModelServer> servers, Parts<ModelReplica> replicas) {
    this.count = options.replicas();
    this.replicas = replicas;
    normal = servers.new Memo(Reduction::normal);
    renewable = servers.new IntMemo(s -> Reduction.renewable(s) | KNOWN);
    named =
        servers
        .new IntMemo(s -> StateFacts.bits(References.of(s.without((1 << count) - 1))) | KNOWN);
    renews = replicas.new IntMemo(r -> Reduction.renews(r) ? 2 : 1);
    naming =
        replicas
        .new IntMemo(r ->
            StateFacts.bits(References.of(Reduction.without(r, Reduction.observed(r)))) | KNOWN);
    observed = replicas.new IntMemo(r -> StateFacts.bits(Reduction.observed(r)) | KNOWN);
  }

  /** Removes what no longer has an influence. */
  void normalise(int[] state) {
    state[0] = normal.of(state[0]);
    int leases = renewable.of(state[0]) & ~KNOWN;
    int names = named.of(state[0]);
    for (int i = 0; i < count; i++) {
      leases &= renews.of(state[1 + i]) == 2 ? -1 : ~(1 << i);
      names |= naming.of(state[1 + i]);
    }
    for (int i = 0; i < count; i++) {
      if (leases != 0) {
        state[1 + i] = withoutAges(leases).of(state[1 + i]);
      }
      int unnamed = observed.of(state[1 + i]) & ~names;
      if (unnamed != 0) {
        state[1 + i] = withoutNames(unnamed).of(state[1 + i]);
      }
    }
  }

  private Parts<ModelReplica>.Memo withoutAges(int leases) {
    return withoutAges.computeIfAbsent(
        leases, mask -> replicas.new Memo(r -> Reduction.withoutAges(r, mask)));
  }

  private Parts<ModelReplica>.Memo withoutNames(int unnamed) {
    return withoutNames.computeIfAbsent(
        unnamed, mask -> replicas.new Memo(r -> Reduction.without(r, names(mask))));
  }

  private Set<String> names(int mask) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < count; i++) {
      for (int age = 0; age < Names.KEPT; age++) {
        if ((mask >> StateFacts.index(Names.name(i, age)) & 1) != 0) {
          names.add(Names.name(i, age));
        }
      }
    }
    return names;
  }
}
