// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.internal.UserCode;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * The thread of a {@link ListenerQueue}: attaches the queue to its informers, and delivers until the
 * queue is closed.
 *
 * <p>Only {@link ListenerQueue#close} ends it. Only user code interrupts it, so interrupts are
 * ignored. A fault of the queue costs a pause, which grows with consecutive faults, and is reported
 * as a {@link ListenerQueue#problem}.
 *
 * <p>Thread rule: one thread runs it.
 */
final class DeliverySupervisor<T extends KubernetesObject> implements Runnable {
  private static final Duration NOT_READY_PAUSE = Duration.ofMillis(2);
  private static final Duration FIRST_FAULT_PAUSE = Duration.ofMillis(10);
  private static final int MAX_DOUBLINGS = 11; // about 20 s

  private final ListenerQueue<T> queue;
  private final UserCode userCode;
  private final Queue<Informer<T>> unattached;
  private final Duration notReadyPause;
  private int faultsInARow;

  /**
   * Creates a supervisor.
   *
   * @param informers the informers to attach the queue to
   */
  DeliverySupervisor(ListenerQueue<T> queue, List<Informer<T>> informers) {
    this(queue, informers, NOT_READY_PAUSE);
  }

  /** Creates a supervisor that polls a listener that is not ready every {@code notReadyPause}. */
  DeliverySupervisor(ListenerQueue<T> queue, List<Informer<T>> informers, Duration notReadyPause) {
    this.queue = queue;
    this.userCode = queue.userCode();
    this.unattached = new ArrayDeque<>(informers);
    this.notReadyPause = notReadyPause;
  }

  /** Returns the pause after this many consecutive failures. */
  static Duration pauseAfter(int failures) {
    return FIRST_FAULT_PAUSE.multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS));
  }

  @Override
  public void run() {
    try {
      while (!queue.isClosed()) {
        supervisedStep();
      }
    } finally {
      queue.end();
    }
  }

  private void supervisedStep() {
    try {
      // The snapshot may be large: it is taken on this thread, not on the subscriber's.
      for (var next = unattached.peek(); next != null; next = unattached.peek()) {
        next.attach(queue);
        unattached.remove();
      }
      step();
      faultsInARow = 0;
      queue.fault("");
    } catch (InterruptedException e) {
      // Only close() ends the thread.
      userCode.clearInterrupt("listener", null);
    } catch (Throwable e) {
      queue.fault(UserCode.text(e));
      userCode.failed("delivery failed, retrying after a pause", null, e);
      pauseAfterFault();
    }
  }

  private void step() throws InterruptedException {
    if (queue.awaitChange()) {
      while (!queue.ready() && !queue.awaitClose(notReadyPause)) {
        // The listener has no callback for readiness, so it is polled.
      }
      queue.deliverNext();
    }
  }

  private void pauseAfterFault() {
    Duration pause = pauseAfter(faultsInARow);
    faultsInARow++;
    try {
      queue.awaitClose(pause);
    } catch (InterruptedException e) {
      userCode.clearInterrupt("listener", null);
    }
  }
}
