// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.internal.loop.Inbox;
import java.util.concurrent.Executor;

/**
 * The inbox without a queue behind it: shows what the hand-over alone costs.
 *
 * <p>Thread rule: any thread.
 */
public final class InboxProbe {
  private final Inbox inbox;

  /**
   * Creates an empty inbox.
   *
   * @param loop runs a task on the event loop
   * @param yielding runs one there after others have had their turn
   */
  public InboxProbe(Executor loop, Executor yielding) {
    this.inbox = new Inbox("bench", loop, yielding, () -> {});
  }

  /** Hands a value over, in an object of the size that a source's delivery has. */
  public void offer(Object value) {
    inbox.offer(new Delivery(value));
  }

  /** Returns about how many values have not arrived. */
  public int pending() {
    return inbox.pending();
  }

  @SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
  private static final class Delivery extends Inbox.Node {
    private final Object value;

    Delivery(Object value) {
      this.value = value;
    }

    @Override
    public void process() {
      if (value.equals(this)) {
        throw new IllegalStateException("a key cannot be its own delivery");
      }
    }
  }
}
