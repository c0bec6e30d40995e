// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.search.LocalActions.Compiled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The states and their successors, as numbers: the server first, then the replicas in an order that
 * makes states equal which differ only in the names of replicas.
 *
 * <p>Thread rule: any thread.
 */
final class StateSpace {

  static final String TICK = "one unit of time passes";

  private final SearchOptions options;
  private final Parts<ModelServer> servers = new Parts<>();
  private final Parts<ModelReplica> replicas = new Parts<>();
  private final Parts<String> texts = new Parts<>();
  private final LocalActions actions;
  private final StateFacts facts;
  private final Relevance relevance;

  private final Parts<ModelServer>.Memo serverTick;
  private final Parts<ModelReplica>.Memo replicaTick;
  private final Parts<ModelReplica>.Memo dropped;
  private final List<Parts<ModelReplica>.Memo> shifted = new ArrayList<>();
  private final List<Parts<ModelReplica>.Memo> leaseChanged = new ArrayList<>();
  private final List<Parts<ModelReplica>.Memo> renewed = new ArrayList<>();
  private final List<int[]> orders;
  private final List<Parts<ModelServer>.Memo> permutedServers = new ArrayList<>();
  private final List<Parts<ModelReplica>.Memo> permutedReplicas = new ArrayList<>();
  private final List<Parts<ModelServer>.Memo> unnamed = new ArrayList<>();

  /** Receives one successor. */
  interface Successors {
    /**
     * Receives one.
     *
     * @param state the successor, normal
     * @param permutation which order makes it normal
     */
    void found(int[] state, int permutation, int label, String violation);
  }

  StateSpace(SearchOptions options) {
    this.options = options;
    Reduction reduction = new Reduction(options);
    this.relevance = new Relevance(options, servers, replicas);
    this.actions = new LocalActions(options, servers, replicas, texts);
    this.facts = new StateFacts(options, servers, replicas, texts);
    long gap = options.gap();
    Transform tick = Transform.tick(gap);
    serverTick = servers.new Memo(tick::apply);
    replicaTick = replicas.new Memo(tick::apply);
    dropped = replicas.new Memo(r -> r.with(Optional.empty()));
    for (int mask = 0; mask < 1 << options.slots(); mask++) {
      shifted.add(replicas.new Memo(Transform.shift(mask, gap)::apply));
    }
    for (int mask = 0; mask < 1 << options.replicas(); mask++) {
      int changed = mask;
      leaseChanged.add(replicas.new Memo(r -> changed(r, changed)));
      unnamed.add(servers.new Memo(server -> server.without(changed)));
    }
    for (int i = 0; i < options.replicas(); i++) {
      renewed.add(replicas.new Memo(Transform.renewed(i, gap)::apply));
    }
    orders = Names.permutations(options.replicas());
    for (int[] to : orders) {
      Transform transform = Transform.permuted(to, gap);
      permutedServers.add(servers.new Memo(transform::apply));
      permutedReplicas.add(replicas.new Memo(r -> reduction.normal(transform.apply(r))));
    }
  }

  private static ModelReplica changed(ModelReplica r, int leases) {
    ModelReplica next = r;
    for (int ordinal = 0; ordinal < r.ages().size(); ordinal++) {
      if ((leases >> ordinal & 1) != 0) {
        next =
            next.with(next.observed(), Names.replaced(next.ages(), ordinal, ModelReplica.CHANGED));
      }
    }
    return next;
  }

  int width() {
    return 1 + options.replicas();
  }

  String text(int label) {
    return texts.value(label);
  }

  int[] permutation(int number) {
    return orders.get(number);
  }

  ModelServer server(int[] state) {
    return servers.value(state[0]);
  }

  ModelReplica replica(int[] state, int i) {
    return replicas.value(state[1 + i]);
  }

  /** Returns the state before any replica has joined, in which no fault may happen. */
  int[] initial() {
    int[] state = new int[width()];
    ModelServer.Left none = new ModelServer.Left(0, false, false);
    state[0] = servers.number(ModelServer.initial(options).with(none));
    Transform normal = Transform.shift(0, options.gap());
    for (int i = 0; i < options.replicas(); i++) {
      state[1 + i] = replicas.number(normal.apply(ModelReplica.initial(options, i)));
    }
    int[] result = new int[width()];
    normalise(state, result);
    return result;
  }

  /** Returns the state with all faults still to come. */
  int[] withFaults(int[] state) {
    int[] next = state.clone();
    next[0] = servers.number(server(state).with(ModelServer.initial(options).left()));
    return next;
  }

  void successors(int[] state, Successors to) {
    int[] next = new int[width()];
    int[] normal = new int[width()];
    for (int i = 0; i < options.replicas(); i++) {
      for (Compiled action : actions.of(state[0], state[1 + i], i).actions()) {
        if (assemble(state, i, action, next)) {
          String violation = action.violation();
          if (violation.isEmpty()) {
            violation = taken(state, action.effect().ended());
          }
          found(next, normal, action.label(), violation, to);
        }
      }
    }
    environment(state, next, normal, to);
  }

  private void found(int[] next, int[] normal, int label, String already, Successors to) {
    String violation = already.isEmpty() ? facts.violation(next) : already;
    if (options.reduced()) {
      relevance.normalise(next);
    }
    int forgotten = facts.forgotten(next);
    next[0] = forgotten == 0 ? next[0] : unnamed.get(forgotten).of(next[0]);
    int permutation = normalise(next, normal);
    to.found(normal, permutation, label, violation);
  }

  /** Applies what an action means to the others; returns false when it is not possible. */
  private boolean assemble(int[] state, int i, Compiled action, int[] next) {
    next[0] = action.server();
    if (action.alone()) {
      System.arraycopy(state, 1, next, 1, options.replicas());
      next[1 + i] = action.replica();
      return true;
    }
    Actions.Local.Effect effect = action.effect();
    for (int j = 0; j < options.replicas(); j++) {
      int part = j == i ? action.replica() : state[1 + j];
      if (j != i) {
        if (effect.renewed()) {
          if (facts.names(part, Names.name(i, Names.KEPT - 1))) {
            return false;
          }
          part = renewed.get(i).of(part);
        }
        part = effect.mapChanged() ? dropped.of(part) : part;
        part = shifted.get(effect.shifted()).of(part);
        part = leaseChanged.get(effect.leases()).of(part);
      }
      next[1 + j] = part;
    }
    return true;
  }

  private void environment(int[] state, int[] next, int[] normal, Successors to) {
    ModelServer s = servers.value(state[0]);
    ModelServer.Left left = s.left();
    int[] complete = quietRounds(state);
    if (!s.isUp() || isComplete(complete)) {
      next[0] = serverTick.of(complete[0]);
      for (int i = 0; i < options.replicas(); i++) {
        next[1 + i] = replicaTick.of(complete[1 + i]);
      }
      found(next, normal, texts.number(TICK), "", to);
    }
    if (s.isUp() && left.permits(options, Fault.MAP_DELETION) && s.map().isPresent()) {
      ModelServer after = s.with(Optional.empty()).after(Fault.MAP_DELETION);
      change(state, after, "the map is deleted", true, 0, next, normal, to);
    }
    if (s.isUp() && left.permits(options, Fault.OUTAGE)) {
      ModelServer after = s.with(0, s.up()).after(Fault.OUTAGE);
      change(state, after, "the API server goes out of reach", false, 0, next, normal, to);
    }
    if (!s.isUp()) {
      boolean longer = s.down() > SearchOptions.GAP;
      ModelServer after = s.with(-1, longer ? 0 : s.up());
      change(state, after, "the API server is back", false, 0, next, normal, to);
    }
    for (int i = 0; i < options.replicas(); i++) {
      ModelServer.StoredLease lease = s.leases().get(i);
      if (s.isUp() && left.permits(options, Fault.LEASE_DELETION) && lease.exists()) {
        ModelServer after = s.with(i, ModelServer.StoredLease.ABSENT).after(Fault.LEASE_DELETION);
        String text = "the Lease of " + Names.present(i) + " is deleted";
        change(state, after, text, false, 1 << i, next, normal, to);
      }
      silence(state, i, s, next, normal, to);
    }
  }

  /** Timely replicas for which nothing has changed renew and list at the end of a unit of time. */
  private int[] quietRounds(int[] state) {
    int[] now = state;
    for (int i = 0; i < options.replicas(); i++) {
      Compiled quiet = actions.of(now[0], now[1 + i], i).quiet();
      if (quiet != null) {
        int[] next = new int[width()];
        assemble(now, i, quiet, next);
        now = next;
      }
    }
    return now;
  }

  private boolean isComplete(int[] state) {
    for (int i = 0; i < options.replicas(); i++) {
      if (!actions.of(state[0], state[1 + i], i).complete()) {
        return false;
      }
    }
    return true;
  }

  private void silence(int[] state, int i, ModelServer s, int[] next, int[] normal, Successors to) {
    ModelReplica r = replicas.value(state[1 + i]);
    if (r.silent() || !s.left().permits(options, Fault.SILENCE) || !r.lease().held()) {
      return;
    }
    System.arraycopy(state, 0, next, 0, state.length);
    next[0] = servers.number(s.after(Fault.SILENCE));
    next[1 + i] = replicas.number(r.silent(true));
    String text = Names.present(i) + " becomes silent";
    found(next, normal, texts.number(text), "", to);
  }

  private void change(
      int[] state,
      ModelServer after,
      String text,
      boolean mapChanged,
      int leases,
      int[] next,
      int[] normal,
      Successors to) {
    next[0] = servers.number(after);
    for (int i = 0; i < options.replicas(); i++) {
      int part = leaseChanged.get(leases).of(state[1 + i]);
      next[1 + i] = mapChanged ? dropped.of(part) : part;
    }
    found(next, normal, texts.number(text), "", to);
  }

  private String taken(int[] state, Set<String> owners) {
    for (String owner : owners) {
      String violation = Invariants.taken(owner, replicas.value(state[1 + Names.replica(owner)]));
      if (!violation.isEmpty()) {
        return violation;
      }
    }
    return "";
  }

  /**
   * Brings each part into its normal form, and finds the order of the replicas with the smallest
   * numbers; returns its index.
   */
  private int normalise(int[] state, int[] result) {
    int best = 0;
    permute(state, 0, result);
    int[] first = result.clone();
    int[] other = new int[state.length];
    for (int n = 1; n < orders.size(); n++) {
      permute(first, n, other);
      if (Arrays.compare(other, result) < 0) {
        System.arraycopy(other, 0, result, 0, other.length);
        best = n;
      }
    }
    return best;
  }

  private void permute(int[] state, int order, int[] result) {
    int[] to = orders.get(order);
    result[0] = permutedServers.get(order).of(state[0]);
    for (int i = 0; i < to.length; i++) {
      result[1 + to[i]] = permutedReplicas.get(order).of(state[1 + i]);
    }
  }
}
