// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.extended.workqueue.DefaultWorkQueue;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** A queue of requests that are due now, used by one thread. */
interface QueueSubject {
  String COXSWAIN = "coxswain";
  String OFFICIAL_JAVA = "officialJava";
  String LINKED_HASH_SET = "linkedHashSet";

  void add(Request key);

  /** Takes the first request out and ends it as done. */
  Request getAndDone();

  static QueueSubject create(String name) {
    return switch (name) {
      case COXSWAIN -> new Coxswain();
      case OFFICIAL_JAVA -> new OfficialJava();
      case LINKED_HASH_SET -> new LinkedSet();
      default -> throw new IllegalArgumentException("there is no queue \"" + name + "\"");
    };
  }

  /** The engine's queue; the clock is read as often as its event loop reads it. */
  final class Coxswain implements QueueSubject {
    private static final int ADDITIONS = 64;
    private static final int STARTS = 16;

    private final WorkQueue<Request> queue = Queues.create();
    private long now = System.nanoTime();
    private int additions;
    private int starts;

    @Override
    public void add(Request key) {
      if (++additions % ADDITIONS == 0) {
        now = System.nanoTime();
      }
      queue.add(key, 0, Trigger.EVENT, now);
    }

    @Override
    public Request getAndDone() {
      if (++starts % STARTS == 0) {
        now = System.nanoTime();
      }
      Item<Request> item = queue.next(now);
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
