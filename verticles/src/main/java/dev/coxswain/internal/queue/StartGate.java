// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

/**
 * Decides which items may be started, of those that are next.
 *
 * <p>Thread rule: called on the queue's event loop.
 */
public interface StartGate<K> {

  /** A gate that lets all items pass. */
  static <K> StartGate<K> open() {
    return new StartGate<>() {
      @Override
      public boolean passes(Item<K> item) {
        return true;
      }

      @Override
      public void tookOut(Item<K> item) {
        throw new IllegalStateException("an item was taken out that had passed");
      }
    };
  }

  /** Returns whether an item may be started now. */
  boolean passes(Item<K> item);

  /** Receives an item that did not pass and was taken out of the queue. */
  void tookOut(Item<K> item);
}
