// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands work from any thread over to one event loop: a linked queue of many producers and one
 * consumer (D. Vyukov's intrusive MPSC queue) and a single scheduled drain, so that a burst of ten
 * thousand deliveries costs one wake-up.
 *
 * <p>Thread rule: {@link #offer} and {@link #pending} any thread; everything else on the event
 * loop.
 */
public final class Inbox {
  private static final Logger log = LoggerFactory.getLogger(Inbox.class);

  // The two atomics are the only state that producers share. "pending" is the wake-up flag as well:
  // who raises it from zero schedules the drain, and the drain schedules itself again as long as it
  // is not zero, so no wake-up can be lost.

  /** How many deliveries one turn of the event loop takes over: about a tenth of a millisecond. */
  private static final int SLICE = 1024;

  private final String name;
  private final Executor loop;
  private final Executor yielding;
  private final Runnable afterDrain;
  private final AtomicReference<Node> tail;
  private final AtomicInteger pending = new AtomicInteger();
  private Node head;
  private volatile boolean closed;

  /**
   * Creates an empty inbox.
   *
   * @param name of the controller, for the log
   * @param loop runs a task on the event loop
   * @param yielding runs one there after others have had their turn
   * @param afterDrain what to run after each turn
   */
  public Inbox(String name, Executor loop, Executor yielding, Runnable afterDrain) {
    this.name = name;
    this.loop = loop;
    this.yielding = yielding;
    this.afterDrain = afterDrain;
    Node stub =
        new Node() {
          @Override
          public void arrive() {}
        };
    this.head = stub;
    this.tail = new AtomicReference<>(stub);
  }

  /**
   * Hands over a node, which must not have been handed over before.
   *
   * @return false when the event loop takes no tasks any more and the node will not arrive
   */
  public boolean offer(Node node) {
    if (closed) {
      return false;
    }
    Node before = tail.getAndSet(node);
    before.lazySet(node);
    return pending.getAndIncrement() != 0 || schedule(loop);
  }

  private boolean schedule(Executor executor) {
    try {
      executor.execute(this::drain);
      return true;
    } catch (RejectedExecutionException e) {
      closed = true; // the event loop is gone; everything after this is refused at once
      return false;
    }
  }

  /** Returns about how many deliveries have not arrived. */
  public int pending() {
    return pending.get();
  }

  private void drain() {
    int arrived = 0;
    while (arrived < SLICE) {
      Node next = head.get();
      if (next == null) {
        break; // the end, or a producer between its two steps: then pending is not zero below
      }
      // The node before is unlinked, or a chain of dead nodes would be kept alive by an old one.
      head.lazySet(null);
      head = next;
      arrived++;
      contain(next::arrive);
    }
    contain(afterDrain);
    if (pending.addAndGet(-arrived) != 0) {
      schedule(yielding);
    }
  }

  /** Whatever one delivery throws, those behind it must arrive: the queue hangs on this loop. */
  private void contain(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      log.atError()
          .addKeyValue("controller", name)
          .setCause(e)
          .log("unexpected failure on the controller's event loop");
    } finally {
      UserFailures.clearInterrupt();
    }
  }

  /** Something handed over. Its reference is the link to the next one. */
  public abstract static class Node extends AtomicReference<@Nullable Node> {
    private static final long serialVersionUID = 1;

    /** Runs on the event loop. */
    public abstract void arrive();
  }
}
