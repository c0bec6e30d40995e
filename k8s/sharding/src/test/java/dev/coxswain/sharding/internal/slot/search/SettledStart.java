// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import java.util.HashSet;
import java.util.Set;

/**
 * The state after a start without faults: each replica holds its Lease and follows the map, and the
 * slots have different owners as far as possible. It is reached by actions of the model alone.
 */
final class SettledStart {

  private static final int MOST_ACTIONS = 40;

  private final StateSpace space;
  private final SearchOptions options;

  SettledStart(StateSpace space, SearchOptions options) {
    this.space = space;
    this.options = options;
  }

  int[] find() {
    int[][] at = {space.initial()};
    for (int action = 0; action < MOST_ACTIONS; action++) {
      int[][] best = {at[0]};
      space.successors(
          at[0],
          (next, permutation, label, violation) -> {
            if (progress(next) > progress(best[0])) {
              best[0] = next.clone();
            }
          });
      at[0] = best[0];
    }
    for (int i = 0; i < options.replicas(); i++) {
      if (!space.replica(at[0], i).slots().followed().confirmed()) {
        throw new IllegalStateException("a replica does not follow the map after the start");
      }
    }
    return at[0];
  }

  private int progress(int[] state) {
    ModelServer s = space.server(state);
    int progress = s.map().isPresent() ? 10 : 0;
    Set<String> owners = new HashSet<>();
    for (int i = 0; i < options.replicas(); i++) {
      ModelReplica r = space.replica(state, i);
      progress += r.lease().held() ? 100 : 0;
      progress += r.slots().followed().confirmed() ? 20 : 0;
      progress += r.slots().announced().isEmpty() ? 0 : 10;
      progress += r.lease().announced().isEmpty() ? 0 : 10;
      progress += r.put().isPresent() ? 1000 : 0;
      progress += 2000 * r.slots().held().size();
      s.map().ifPresent(map -> owners.addAll(map.replicas()));
    }
    int most = Math.min(options.slots(), options.replicas());
    return progress + (owners.size() <= most ? 1500 * owners.size() : 0);
  }
}
