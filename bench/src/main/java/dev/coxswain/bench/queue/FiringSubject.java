// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/** A timer queue that calls back for a number when it is due. */
interface FiringSubject extends AutoCloseable {
  String COXSWAIN = "coxswain";
  String COXSWAIN_PACED = "coxswainPaced";
  String COXSWAIN_BLOCKING = "coxswainBlocking";
  String DELAY_QUEUE = "delayQueue";
  String OFFICIAL_JAVA = "officialJava";
  String OFFICIAL_JAVA_PACED = "officialJavaPaced";

  /** How many deliveries may wait in the inbox when that is not to be measured. */
  int FEW = 16;

  /** Adds a number that is due after a delay; one thread. */
  void addAfter(int number, long delayNanos);

  @Override
  void close();

  /**
   * Starts an empty one.
   *
   * @param onStart called with each number when it is started, on any thread
   */
  static FiringSubject create(String name, IntConsumer onStart) {
    return switch (name) {
      case COXSWAIN -> new Coxswain(onStart, 0, EventSink.PENDING_HIGH_WATER);
      case COXSWAIN_PACED -> new Coxswain(onStart, 0, FEW);
      case COXSWAIN_BLOCKING -> new Coxswain(onStart, 16, EventSink.PENDING_HIGH_WATER);
      case DELAY_QUEUE -> new JdkDelayQueue(onStart);
      case OFFICIAL_JAVA -> new OfficialJava(onStart, false);
      case OFFICIAL_JAVA_PACED -> new OfficialJava(onStart, true);
      default -> throw new IllegalArgumentException("there is no delaying queue \"" + name + "\"");
    };
  }

  /** The request of this benchmark. */
  record Numbered(int number) {
    static final RequestFormat<Numbered> FORMAT =
        RequestFormat.of(
            key -> Integer.toString(key.number()), text -> new Numbered(Integer.parseInt(text)));
  }

  /**
   * A controller on an event loop: from its sink to the start of its reconciler, on the loop or on
   * virtual threads.
   */
  final class Coxswain implements FiringSubject {
    private final Vertx vertx = Vertx.vertx();
    private final ControllerRig<Numbered> rig;

    private final int highWater;

    Coxswain(IntConsumer onStart, int virtualThreads, int highWater) {
      this.highWater = highWater;
      Future<Result> done = Future.succeededFuture(Result.done());
      this.rig =
          virtualThreads == 0
              ? ControllerRig.async(
                  vertx,
                  Numbered.FORMAT,
                  (key, context) -> {
                    onStart.accept(key.number());
                    return done;
                  })
              : ControllerRig.blocking(
                  vertx,
                  Numbered.FORMAT,
                  virtualThreads,
                  (key, context) -> {
                    onStart.accept(key.number());
                    return Result.done();
                  });
    }

    @Override
    public void addAfter(int number, long delayNanos) {
      while (rig.sink().pending() >= highWater) {
        LockSupport.parkNanos(20_000); // as the contract of the sink requires
      }
      rig.sink().addAfter(new Numbered(number), Duration.ofNanos(delayNanos), 0, Trigger.EVENT);
    }

    @Override
    public void close() {
      rig.close();
      vertx.close().await();
    }
  }

  /** The JDK's delay queue and a thread that takes from it. */
  final class JdkDelayQueue implements FiringSubject {
    private final DelayQueue<DelayedKey<Numbered>> queue = new DelayQueue<>();
    private final Thread worker;

    JdkDelayQueue(IntConsumer onStart) {
      this.worker =
          Thread.ofPlatform()
              .daemon()
              .name("delay-queue-worker")
              .start(() -> {
                try {
                  while (true) {
                    onStart.accept(queue.take().key().number());
                  }
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt(); // the end
                }
              });
    }

    @Override
    public void addAfter(int number, long delayNanos) {
      queue.add(new DelayedKey<>(new Numbered(number), System.nanoTime() + delayNanos));
    }

    @Override
    public void close() {
      worker.interrupt();
    }
  }

  /** The delaying queue of the official Java client and a thread that takes from it. */
  final class OfficialJava implements FiringSubject {
    private final OfficialDelayingQueue<Numbered> queue;

    OfficialJava(IntConsumer onStart, boolean paced) {
      this.queue = new OfficialDelayingQueue<>(paced);
      Thread.ofPlatform()
          .daemon()
          .name("official-java-worker")
          .start(() -> {
            try {
              for (Numbered key = queue.get(); key != null; key = queue.get()) {
                onStart.accept(key.number());
                queue.done(key);
              }
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt(); // the end
            }
          });
    }

    @Override
    public void addAfter(int number, long delayNanos) {
      queue.addAfter(new Numbered(number), Duration.ofNanos(delayNanos));
    }

    @Override
    public void close() {
      queue.close();
    }
  }
}
