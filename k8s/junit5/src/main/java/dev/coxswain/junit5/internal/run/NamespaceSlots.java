// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.spi.Slots;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Slots by namespace: one for each namespace that the controllers of a scenario have requests in, and one for all others, which
 * another replica has. So the watches of this one can select.
 *
 * <p>Thread rule: any thread; one at a time begins terms.
 */
final class NamespaceSlots implements Slots {

  private final List<String> namespaces;
  private final OwnTerm owner;
  private final KeptSlots kept;

  /** How many terms have ended. */
  private int ended;

  /**
   * Creates the slots of a process.
   *
   * @param namespaces the own namespaces; empty for requests without one
   */
  NamespaceSlots(Collection<String> namespaces, OwnTerm owner) {
    this.namespaces = namespaces.stream().sorted().toList();
    this.owner = owner;
    this.kept = new KeptSlots(this);
  }

  /** One term of one slot. */
  private record Term(int slot, long epoch, OwnTerm owner) implements SlotTerm {
    @Override
    public Duration timeLeft() {
      return owner.timeLeft();
    }
  }

  /** Returns the slots whose objects caches keep. */
  KeptSlots kept() {
    return kept;
  }

  /** Returns the own slots. */
  List<Integer> own() {
    return IntStream.rangeClosed(1, namespaces.size()).boxed().toList();
  }

  /** Returns a term of a slot that begins now. */
  SlotTerm term(int slot) {
    return new Term(slot, owner.epoch() + ended, owner);
  }

  /** The term of a slot has ended. */
  void end() {
    ended++;
  }

  @Override
  public int count() {
    return namespaces.size() + 1;
  }

  @Override
  public int slotOf(String namespace, String name) {
    return namespaces.indexOf(namespace) + 1; // 0 for one of another replica
  }

  @Override
  public OptionalInt slotOfNamespace(String namespace) {
    return OptionalInt.of(slotOf(namespace, ""));
  }

  @Override
  public boolean mayStart() {
    return owner.mayStart();
  }
}
