// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.verticle.YieldingExecutor;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Long JSON holds no event loop. */
@ExtendWith(VertxExtension.class)
class JsonWorkTest {

  @Test
  void longWork_isDoneElsewhere_andEndsHere(Vertx vertx, VertxTestContext test) {
    Context loop = ((VertxInternal) vertx).createEventLoopContext();
    JsonWork work = new JsonWork(vertx, new YieldingExecutor(loop));
    loop.runOnContext(begin -> {
      Thread here = Thread.currentThread();
      work.run(true, Thread::currentThread)
          .onComplete(
              test.succeeding(there ->
                  test.verify(() -> {
                    assertThat(there).isNotSameAs(here);
                    assertThat(Thread.currentThread()).isSameAs(here);
                    test.completeNow();
                  })));
    });
  }

  @Test
  void shortWork_isDoneAtOnce(Vertx vertx) {
    assertThat(new JsonWork(vertx, Runnable::run).run(false, Thread::currentThread).result())
        .isSameAs(Thread.currentThread());
  }

  @Test
  void whatIsThrown_failsTheFuture_whereverItIsDone(Vertx vertx, VertxTestContext test) {
    JsonWork work = new JsonWork(vertx, Runnable::run);
    RuntimeException broken = Problem.internal().rejection();
    assertThat(
            work.run(
                    false,
                    () -> {
                      throw broken;
                    })
                .cause())
        .isSameAs(broken);
    work.run(
            true,
            () -> {
              throw broken;
            })
        .onComplete(
            test.failing(cause ->
                test.verify(() -> {
                  assertThat(cause).isSameAs(broken);
                  test.completeNow();
                })));
  }

  /** Whoever gave up waiting has left work behind, so requests in flight are no bound. */
  @Test
  void moreThanMayWait_isRefused_untilSomeIsDone(Vertx vertx, VertxTestContext test) {
    CountDownLatch held = new CountDownLatch(1);
    JsonWork work = new JsonWork(vertx, Runnable::run);
    Context loop = ((VertxInternal) vertx).createEventLoopContext();
    loop.runOnContext(begin -> {
      List<Future<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < JsonWork.MAX_PENDING; i++) {
        all.add(work.run(true, () -> held.await(60, TimeUnit.SECONDS)));
      }
      Throwable refusal = work.run(true, () -> true).cause();
      boolean shortOne = work.run(false, () -> true).succeeded();
      held.countDown();
      Future.all(all)
          .compose(done -> work.run(true, () -> true))
          .onComplete(
              test.succeeding(again ->
                  test.verify(() -> {
                    assertThat(refusal)
                        .isInstanceOfSatisfying(
                            Rejection.class,
                            refused -> assertThat(refused.problem().status()).isEqualTo(503));
                    assertThat(shortOne).isTrue();
                    assertThat(again).isTrue();
                    test.completeNow();
                  })));
    });
  }

  @Test
  void aPageIsLong_whereverItsItemsAre_andACounterIsNot() {
    ObjectNode page = Json.object();
    ArrayNode items = page.putObject("inner").putArray("items");
    assertThat(JsonWork.isLong(page)).isFalse();
    for (int i = 0; i < 100; i++) {
      ObjectNode item = items.addObject();
      for (int field = 0; field < 20; field++) {
        item.put("field-" + field, field);
      }
    }
    assertThat(JsonWork.isLong(page)).isTrue();
    assertThat(JsonWork.isLong(100)).isTrue();
    assertThat(JsonWork.isLong(3)).isFalse();
  }
}
