// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what other processes, or threads of Hazelcast, do. */
public final class Await {
  private static final Duration LIMIT = Duration.ofSeconds(100);

  private Await() {}

  /** Returns once the condition holds; fails after 100 s with {@code what} and {@code said}. */
  public static void until(String what, BooleanSupplier condition, Supplier<?> said)
      throws InterruptedException {
    long limit = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - limit).as("%s; it is %s", what, said.get()).isNegative();
      TimeUnit.MILLISECONDS.sleep(20); // between two looks
    }
  }

  /** Returns once the future has succeeded; throws what it failed with. */
  public static void done(Future<Void> future) {
    try {
      future.toCompletionStage().toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new CompletionException(e.getCause());
    }
  }
}
