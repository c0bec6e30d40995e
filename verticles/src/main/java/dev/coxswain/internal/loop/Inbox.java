// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.spi.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of work from any thread for one event loop: a linked queue of many producers and one
 * consumer (D. Vyukov's intrusive MPSC queue) and a single scheduled drain, so that a burst of ten
 * thousand nodes costs one wake-up.
 *
 * <p>Thread rule: {@link #offer} and {@link #pending} any thread; everything else on the event
 * loop.
 */
public final class Inbox {
  private static final Logger log = LoggerFactory.getLogger(Inbox.class);

  // The two atomics are the only state that producers share. "pending" is also the wake-up flag:
  // the producer that raises it from zero schedules the drain, and the drain reschedules itself
  // while it is not zero, so no wake-up is lost.

  /** The number of nodes that one turn of the event loop processes: about a tenth of a millisecond. */
  private static final int SLICE = 1024;

  /** The number of nodes that are processed with the same reading of the clock, less one: a mask. */
  private static final int SAME_TIME = 63;

  private final String name;
  private final Clock clock;
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
   * @param clock for the times that nodes receive
   * @param loop runs a task on the event loop
   * @param yielding runs a task there after other pending work
   * @param afterDrain runs after each turn
   */
  public Inbox(String name, Clock clock, Executor loop, Executor yielding, Runnable afterDrain) {
    this.name = name;
    this.clock = clock;
    this.loop = loop;
    this.yielding = yielding;
    this.afterDrain = afterDrain;
    Node stub =
        new Node() {
          @Override
          public void process(long now) {}
        };
    this.head = stub;
    this.tail = new AtomicReference<>(stub);
  }

  /**
   * Adds a node, which must not have been added before.
   *
   * @return false when the event loop has ended and the node will not be processed
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
      closed = true; // the event loop has ended; later nodes are refused at once
      return false;
    }
  }

  /** Returns approximately how many nodes have not been processed. */
  public int pending() {
    return pending.get();
  }

  private void drain() {
    int processed = 0;
    long now = 0;
    while (processed < SLICE) {
      Node next = head.get();
      if (next == null) {
        break; // the end, or a producer between its two steps: then pending is not zero below
      }
      // The previous node is unlinked; otherwise an old node would keep a chain of dead ones alive.
      head.lazySet(null);
      head = next;
      if ((processed++ & SAME_TIME) == 0) {
        now = clock.nanos();
      }
      try {
        next.process(now);
      } catch (Throwable e) { // the nodes behind it are processed
        report(e);
      } finally {
        UserFailures.clearInterrupt();
      }
    }
    try {
      afterDrain.run();
    } catch (Throwable e) {
      report(e);
    } finally {
      UserFailures.clearInterrupt();
    }
    if (pending.addAndGet(-processed) != 0) {
      schedule(yielding);
    }
  }

  private void report(Throwable failure) {
    log.atError()
        .addKeyValue("controller", name)
        .setCause(failure)
        .log("unexpected failure on the controller's event loop");
  }

  /** A unit of work. The reference is the link to the next node. */
  public abstract static class Node extends AtomicReference<@Nullable Node> {
    private static final long serialVersionUID = 1;

    /**
     * Runs on the event loop.
     *
     * @param now a time of the clock of this turn, older than the present by a few nodes at most
     */
    public abstract void process(long now);
  }
}
