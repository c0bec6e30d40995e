// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.object;

import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.value.SizedValue;
import dev.coxswain.admin.internal.value.SyncingValue;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the controllers of one replica have to report of an object; between replicas.
 *
 * @param hidden how many controllers the caller may not read
 */
record ObjectPart(List<Entry> items, int hidden) implements SizedValue, SyncingValue {

  /**
   * The explanation of one controller, or the problem in its place, as the request for this one item
   * has it.
   *
   * @param status the status of the problem; null for an explanation
   */
  record Entry(
      String controller,
      @Nullable ExplanationResource explanation,
      @Nullable Integer status,
      Problem.@Nullable Body problem) {

    static Entry of(String controller, ExplanationResource explanation) {
      return new Entry(controller, explanation, null, null);
    }

    static Entry of(String controller, Problem problem) {
      return new Entry(controller, null, problem.status(), problem.body("", ""));
    }

    /** Returns it as the answer of a replica to the request for this one item. */
    PeerAnswer answer(String replica) {
      return problem == null || status == null
          ? PeerAnswer.ok(replica, 200, explanation)
          : PeerAnswer.of(replica, problem.problem(status));
    }
  }

  Optional<Entry> of(String controller) {
    return items.stream().filter(entry -> entry.controller().equals(controller)).findFirst();
  }

  @Override
  public int entries() {
    return items.stream()
        .map(Entry::explanation)
        .mapToInt(one -> one == null ? 1 : 1 + one.attempts().size())
        .sum();
  }

  @Override
  public @Nullable String syncing() {
    return items.stream().map(Entry::explanation).anyMatch(ObjectPart::isSyncing) ? SOME : null;
  }

  /** Another replica answers for an item that is not owned, so nothing of it is missing. */
  private static boolean isSyncing(@Nullable ExplanationResource explanation) {
    return explanation != null
        && explanation.syncing() != null
        && !explanation.reason().equals(ItemSlot.NOT_OWNED);
  }
}
