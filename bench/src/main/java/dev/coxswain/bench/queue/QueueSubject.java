// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.extended.workqueue.DefaultWorkQueue;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** A queue of requests that are due now, used by one thread. */
interface QueueSubject {
  String COXSWAIN = "coxswain";
  String COXSWAIN_TURN_CLOCK = "coxswainTurnClock";
  String OFFICIAL_JAVA = "officialJava";
  String LINKED_HASH_SET = "linkedHashSet";

  void add(Request key);

  /** Takes the first request out and ends it as done. */
  Request getAndDone();

  static QueueSubject create(String name) {
    return switch (name) {
      case COXSWAIN -> new Coxswain(Clock.system());
      case COXSWAIN_TURN_CLOCK -> new Coxswain(new Queues.TurnClock());
      case OFFICIAL_JAVA -> new OfficialJava();
      case LINKED_HASH_SET -> new LinkedSet();
      default -> throw new IllegalArgumentException("there is no queue \"" + name + "\"");
    };
  }

  /** The engine's queue. */
  final class Coxswain implements QueueSubject {
    private final WorkQueue<Request> queue;

    Coxswain(Clock clock) {
      this.queue = Queues.create(clock);
    }

    @Override
    public void add(Request key) {
      queue.add(key, 0, dev.coxswain.reconcile.Trigger.EVENT);
    }

    @Override
    public Request getAndDone() {
      Item<Request> item = queue.next();
      if (item == null) {
        throw new IllegalStateException("the queue is empty");
      }
      queue.endings().succeed(item);
      return item.key();
    }
  }

  /** The work queue of the official Java client. */
  final class OfficialJava implements QueueSubject {
    private final DefaultWorkQueue<Request> queue = new DefaultWorkQueue<>();

    @Override
    public void add(Request key) {
      queue.add(key);
    }

    @Override
    public Request getAndDone() {
      try {
        Request key = queue.get();
        queue.done(key);
        return key;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  /** The least that the JDK's collections need for "each once, in order, never twice at once". */
  final class LinkedSet implements QueueSubject {
    private final LinkedHashSet<Request> ready = new LinkedHashSet<>();
    private final Set<Request> inFlight = new HashSet<>();

    @Override
    public void add(Request key) {
      ready.add(key);
    }

    @Override
    public Request getAndDone() {
      Request key = ready.removeFirst();
      inFlight.add(key);
      inFlight.remove(key);
      return key;
    }
  }
}
