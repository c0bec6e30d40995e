// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.verticle;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The next slice of long work comes after whatever else is due on its event loop. */
@ExtendWith(VertxExtension.class)
class YieldingExecutorTest {

  @Test
  void nextSlice_comesAfterTasksAndTimersThatAreDue(Vertx vertx) throws Exception {
    Context context = vertx.getOrCreateContext();

    List<String> order = orderOf(context, new YieldingExecutor(context));

    assertThat(order).containsExactly("task", "timer", "slice");
  }

  /** Why there is such an executor: with this one the timer waits for the slices. */
  @Test
  void taskOfTheContext_comesBeforeTimersThatAreDue(Vertx vertx) throws Exception {
    Context context = vertx.getOrCreateContext();

    List<String> order = orderOf(context, task -> context.runOnContext(v -> task.run()));

    assertThat(order).containsExactly("slice", "task", "timer");
  }

  @Test
  void slicesThatGoOnAndOn_letTimersInBetween(Vertx vertx) throws Exception {
    Context context = vertx.getOrCreateContext();
    Executor yielding = new YieldingExecutor(context);
    Promise<Integer> rung = Promise.promise();
    int[] slices = new int[1];
    context.runOnContext(v -> {
      vertx.timer(1, TimeUnit.NANOSECONDS).onSuccess(now -> rung.complete(slices[0]));
      new Runnable() {
        @Override
        public void run() {
          slices[0]++;
          if (!rung.future().isComplete()) {
            yielding.execute(this);
          }
        }
      }.run();
    });

    assertThat(rung.future().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS))
        .as("slices before a timer that was due from the first one on")
        .isEqualTo(1);
  }

  @Test
  void longSlices_takeTurns_oneInARound(Vertx vertx) throws Exception {
    AtomicLong clock = new AtomicLong();

    List<String> order = turns(vertx, () -> clock.addAndGet(1_000_000));

    assertThat(order).containsExactly("a1", "timer", "b1", "a2", "b2");
  }

  @Test
  void shortSlices_takeTurns_inOneRound(Vertx vertx) throws Exception {
    List<String> order = turns(vertx, () -> 0);

    assertThat(order).containsExactly("a1", "b1", "a2", "b2", "timer");
  }

  /** Two pieces of work of two slices each; the first sets a timer that is due at once. */
  private static List<String> turns(Vertx vertx, LongSupplier clock) throws Exception {
    Context context = vertx.getOrCreateContext();
    Executor yielding = new YieldingExecutor(context, clock);
    List<String> order = new ArrayList<>();
    Promise<Void> all = Promise.promise();
    context.runOnContext(v -> {
      yielding.execute(() -> {
        vertx.timer(1, TimeUnit.NANOSECONDS).onSuccess(now -> arrived(order, "timer", 5, all));
        arrived(order, "a1", 5, all);
        yielding.execute(() -> arrived(order, "a2", 5, all));
      });
      yielding.execute(() -> {
        arrived(order, "b1", 5, all);
        yielding.execute(() -> arrived(order, "b2", 5, all));
      });
    });
    all.future().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    return order;
  }

  @Test
  void sliceThatThrows_doesNotKeepOthers(Vertx vertx) throws Exception {
    Context context = vertx.getOrCreateContext();
    Executor yielding = new YieldingExecutor(context);
    Promise<Void> next = Promise.promise();
    Promise<Throwable> reported = Promise.promise();
    context.exceptionHandler(reported::tryComplete);
    context.runOnContext(v -> {
      yielding.execute(() -> {
        throw new IllegalStateException("on purpose");
      });
      yielding.execute(next::complete);
    });

    next.future().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(reported.future().result()).hasMessage("on purpose");
  }

  @Test
  void slicesThatGoOnAndOn_endWithTheirLoop() throws Exception {
    Vertx vertx = Vertx.vertx();
    Context context = vertx.getOrCreateContext();
    Executor yielding = new YieldingExecutor(context);
    CompletableFuture<Void> began = new CompletableFuture<>();
    CompletableFuture<RejectedExecutionException> rejected = new CompletableFuture<>();
    Runnable endless =
        new Runnable() {
          @Override
          public void run() {
            began.complete(null);
            try {
              yielding.execute(this);
            } catch (RejectedExecutionException e) {
              rejected.complete(e);
            }
          }
        };
    context.runOnContext(v -> endless.run());
    began.get(30, TimeUnit.SECONDS);

    Future<Void> closed = vertx.close();

    assertThat(rejected.get(30, TimeUnit.SECONDS)).hasMessageContaining("shuts down");
    closed.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @Test
  void sliceThatThrows_whenItsLoopEnds_doesNotKeepOthers() throws Exception {
    Vertx vertx = Vertx.vertx();
    Context context = vertx.getOrCreateContext();
    Executor yielding = new YieldingExecutor(context);
    CompletableFuture<Void> began = new CompletableFuture<>();
    CompletableFuture<Throwable> reported = new CompletableFuture<>();
    CompletableFuture<Void> others = new CompletableFuture<>();
    context.exceptionHandler(reported::complete);
    Runnable endless =
        new Runnable() {
          @Override
          public void run() {
            began.complete(null);
            try {
              yielding.execute(this);
            } catch (RejectedExecutionException e) {
              throw new IllegalStateException("on purpose", e);
            }
          }
        };
    Runnable other =
        new Runnable() {
          @Override
          public void run() {
            try {
              yielding.execute(this);
            } catch (RejectedExecutionException e) {
              others.complete(null);
            }
          }
        };
    context.runOnContext(v -> {
      endless.run();
      other.run();
    });
    began.get(30, TimeUnit.SECONDS);

    Future<Void> closed = vertx.close();

    others.get(30, TimeUnit.SECONDS);
    assertThat(reported.get(30, TimeUnit.SECONDS)).hasMessage("on purpose");
    closed.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private static List<String> orderOf(Context context, Executor next) throws Exception {
    List<String> order = new ArrayList<>();
    Promise<Void> all = Promise.promise();
    context.runOnContext(v -> {
      context
          .owner()
          .timer(1, TimeUnit.NANOSECONDS)
          .onSuccess(now -> arrived(order, "timer", 3, all));
      next.execute(() -> arrived(order, "slice", 3, all));
      context.runOnContext(now -> arrived(order, "task", 3, all));
    });
    all.future().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    return order;
  }

  private static void arrived(List<String> order, String what, int last, Promise<Void> all) {
    order.add(what);
    if (order.size() == last) {
      all.complete();
    }
  }
}
