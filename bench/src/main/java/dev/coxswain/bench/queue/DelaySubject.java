// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.DelayQueue;

/** A queue that keeps requests until they are due, filled by one thread. */
interface DelaySubject extends AutoCloseable {
  String COXSWAIN = "coxswain";
  String DELAY_QUEUE = "delayQueue";
  String DELAY_QUEUE_AND_MAP = "delayQueueAndMap";
  String OFFICIAL_JAVA = "officialJava";

  /** Adds a request that is due after a delay. */
  void addAfter(Request key, long delayNanos);

  /** Returns how many requests are kept. */
  int size();

  @Override
  default void close() {}

  /**
   * Creates an empty one.
   *
   * @param paced whether a subject that loses what arrives too fast is fed slowly enough
   */
  static DelaySubject create(String name, boolean paced) {
    return switch (name) {
      case COXSWAIN -> new Coxswain();
      case DELAY_QUEUE -> new JdkDelayQueue();
      case DELAY_QUEUE_AND_MAP -> new JdkDelayQueueAndMap();
      case OFFICIAL_JAVA -> new OfficialJava(paced);
      default -> throw new IllegalArgumentException("there is no delaying queue \"" + name + "\"");
    };
  }

  /** The engine's queue; the caller reads the clock, and the event loop does not again. */
  final class Coxswain implements DelaySubject {
    private final WorkQueue<Request> queue = Queues.create();

    @Override
    public void addAfter(Request key, long delayNanos) {
      long now = System.nanoTime();
      queue.addAt(key, now + delayNanos, 0, Trigger.EVENT, now);
    }

    @Override
    public int size() {
      return queue.size();
    }
  }

  /** The JDK's delay queue: it does not find entries by key, so every addition is one more entry. */
  final class JdkDelayQueue implements DelaySubject {
    private final DelayQueue<DelayedKey<Request>> queue = new DelayQueue<>();

    @Override
    public void addAfter(Request key, long delayNanos) {
      queue.add(new DelayedKey<>(key, System.nanoTime() + delayNanos));
    }

    @Override
    public int size() {
      return queue.size();
    }
  }

  /** The least that gives the JDK's delay queue "each request once, the earlier time wins". */
  final class JdkDelayQueueAndMap implements DelaySubject {
    private final DelayQueue<DelayedKey<Request>> queue = new DelayQueue<>();
    private final Map<Request, DelayedKey<Request>> known = new HashMap<>();

    @Override
    public void addAfter(Request key, long delayNanos) {
      DelayedKey<Request> entry = new DelayedKey<>(key, System.nanoTime() + delayNanos);
      DelayedKey<Request> before = known.putIfAbsent(key, entry);
      if (before == null) {
        queue.add(entry);
      } else if (entry.compareTo(before) < 0) {
        queue.remove(before);
        known.put(key, entry);
        queue.add(entry);
      }
    }

    @Override
    public int size() {
      return queue.size();
    }
  }

  /** The delaying queue of the official Java client. */
  final class OfficialJava implements DelaySubject {
    private final OfficialDelayingQueue<Request> queue;

    OfficialJava(boolean paced) {
      this.queue = new OfficialDelayingQueue<>(paced);
    }

    @Override
    public void addAfter(Request key, long delayNanos) {
      queue.addAfter(key, Duration.ofNanos(delayNanos));
    }

    @Override
    public int size() {
      return queue.kept();
    }

    @Override
    public void close() {
      queue.close();
    }
  }
}
