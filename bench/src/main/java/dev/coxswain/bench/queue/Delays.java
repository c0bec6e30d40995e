// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import io.kubernetes.client.extended.workqueue.DefaultDelayingQueue;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue that keeps keys until they are due, filled by one thread. A bare one keeps them only; the
 * others start each key that is due.
 */
interface Delays<K> extends AutoCloseable {
  String COXSWAIN = "coxswain";
  String COXSWAIN_PACED = "coxswainPaced";
  String COXSWAIN_BLOCKING = "coxswainBlocking";
  String DELAY_QUEUE = "delayQueue";
  String DELAY_QUEUE_AND_MAP = "delayQueueAndMap";
  String OFFICIAL_JAVA = "officialJava";
  String OFFICIAL_JAVA_PACED = "officialJavaPaced";

  /** How many deliveries may wait in the inbox when that is not to be measured. */
  int FEW = 16;

  /** Adds a key that is due after a delay. */
  void addAfter(K key, long delayNanos);

  int size();

  @Override
  void close();

  /** Creates an empty bare one; one that loses what arrives too fast may be fed slowly enough. */
  static Delays<Request> bare(String name, boolean paced) {
    return switch (name) {
      case COXSWAIN -> new BareQueue();
      case DELAY_QUEUE -> new JdkDelays<>(false, null);
      case DELAY_QUEUE_AND_MAP -> new JdkDelays<>(true, null);
      case OFFICIAL_JAVA -> new OfficialDelays<>(paced, null);
      default -> throw new IllegalArgumentException("there is no delaying queue \"" + name + "\"");
    };
  }

  /** Starts an empty one; {@code onStart} is called with each key that starts, on any thread. */
  static Delays<Numbered> starting(String name, Consumer<Numbered> onStart) {
    return switch (name) {
      case COXSWAIN -> new WholeController(onStart, 0, EventSink.PENDING_HIGH_WATER);
      case COXSWAIN_PACED -> new WholeController(onStart, 0, FEW);
      case COXSWAIN_BLOCKING -> new WholeController(onStart, 16, EventSink.PENDING_HIGH_WATER);
      case DELAY_QUEUE -> new JdkDelays<>(false, onStart);
      case OFFICIAL_JAVA -> new OfficialDelays<>(false, onStart);
      case OFFICIAL_JAVA_PACED -> new OfficialDelays<>(true, onStart);
      default -> throw new IllegalArgumentException("there is no delaying queue \"" + name + "\"");
    };
  }

  /** The key of one that starts. */
  record Numbered(int number) {
    static final RequestFormat<Numbered> FORMAT =
        RequestFormat.of(
            key -> Integer.toString(key.number()), text -> new Numbered(Integer.parseInt(text)));
  }

  /** A thread that starts keys until it is interrupted. */
  interface Worker {
    void work() throws InterruptedException;

    static Thread start(String name, Worker worker) {
      return Thread.ofPlatform()
          .daemon()
          .name(name)
          .start(() -> {
            try {
              worker.work();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt(); // the end
            }
          });
    }
  }

  /** The engine's queue; the caller reads the clock, and the event loop does not again. */
  final class BareQueue implements Delays<Request> {
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

    @Override
    public void close() {}
  }

  /**
   * A controller on an event loop: from its sink to the start of its reconciler, on the loop or on
   * virtual threads.
   */
  final class WholeController implements Delays<Numbered> {
    private final Vertx vertx = Vertx.vertx();
    private final ControllerRig<Numbered> rig;
    private final int highWater;

    WholeController(Consumer<Numbered> onStart, int virtualThreads, int highWater) {
      this.highWater = highWater;
      Future<Result> done = Future.succeededFuture(Result.done());
      this.rig =
          virtualThreads == 0
              ? ControllerRig.async(
                  vertx,
                  Numbered.FORMAT,
                  (key, _) -> {
                    onStart.accept(key);
                    return done;
                  })
              : ControllerRig.blocking(
                  vertx,
                  Numbered.FORMAT,
                  virtualThreads,
                  (key, _) -> {
                    onStart.accept(key);
                    return Result.done();
                  });
    }

    @Override
    public void addAfter(Numbered key, long delayNanos) {
      while (rig.sink().pending() >= highWater) {
        LockSupport.parkNanos(20_000); // as the contract of the sink requires
      }
      rig.sink().addAfter(key, Duration.ofNanos(delayNanos), 0, Trigger.EVENT);
    }

    @Override
    public int size() {
      return rig.handle().snapshot().delayed();
    }

    @Override
    public void close() {
      rig.close();
      vertx.close().await();
    }
  }

  /**
   * The JDK's delay queue. It does not find entries by key, so every addition is one more entry;
   * with a map, which is the least that it needs, each key is there once and the earlier time wins.
   */
  final class JdkDelays<K> implements Delays<K> {
    private final DelayQueue<Entry<K>> queue = new DelayQueue<>();
    private final @Nullable Map<K, Entry<K>> known;
    private final @Nullable Thread worker;

    /** A key with the time at which it is due. */
    private record Entry<K>(K key, long due) implements Delayed {
      @Override
      public long getDelay(TimeUnit unit) {
        return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
      }

      @Override
      public int compareTo(Delayed other) {
        return Long.signum(due - ((Entry<?>) other).due);
      }
    }

    JdkDelays(boolean map, @Nullable Consumer<K> onStart) {
      known = map ? new HashMap<>() : null;
      worker = onStart == null ? null : Worker.start("delay-queue-worker", () -> work(onStart));
    }

    private void work(Consumer<K> onStart) throws InterruptedException {
      while (true) {
        onStart.accept(queue.take().key());
      }
    }

    @Override
    public void addAfter(K key, long delayNanos) {
      Entry<K> entry = new Entry<>(key, System.nanoTime() + delayNanos);
      Entry<K> before = known == null ? null : known.putIfAbsent(key, entry);
      if (known == null || before == null) {
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

    @Override
    public void close() {
      if (worker != null) {
        worker.interrupt();
      }
    }
  }

  /**
   * The delaying queue of the official Java client on a daemon thread. It silently loses what
   * arrives while its buffer of 1,000 entries is full; when paced, the caller waits for room.
   */
  final class OfficialDelays<K> extends DefaultDelayingQueue<K> implements Delays<K> {
    private static final int ROOM = 500;

    private final ExecutorService executor;
    private final boolean paced;
    private int offered;

    OfficialDelays(boolean paced, @Nullable Consumer<K> onStart) {
      this(
          paced,
          onStart,
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name("official-java-delays").factory()));
    }

    private OfficialDelays(boolean paced, @Nullable Consumer<K> onStart, ExecutorService executor) {
      super(executor);
      this.paced = paced;
      this.executor = executor;
      if (onStart != null) {
        Worker.start("official-java-worker", () -> work(onStart));
      }
    }

    private void work(Consumer<K> onStart) throws InterruptedException {
      for (K key = get(); key != null; key = get()) {
        onStart.accept(key);
        done(key);
      }
    }

    @Override
    public void addAfter(K key, long delayNanos) {
      while (paced && waitingForAddQueue.remainingCapacity() < ROOM) {
        LockSupport.parkNanos(20_000);
      }
      offered++;
      addAfter(key, Duration.ofNanos(delayNanos));
    }

    /** Returns how many were added, none of which was lost when paced. */
    @Override
    public int size() {
      return offered;
    }

    @Override
    public void close() {
      shutDown();
      executor.shutdownNow();
    }
  }
}
