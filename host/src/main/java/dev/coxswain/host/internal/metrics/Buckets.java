// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import java.time.Duration;
import java.util.stream.LongStream;

/** The bounds of the histograms, as in the reference projects. */
final class Buckets {

  private static final long[] RECONCILE_MILLIS = {
    5, 10, 25, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900, 1000, 1250,
    1500, 1750, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 6000, 7000, 8000, 9000, 10_000, 15_000,
    20_000, 25_000, 30_000, 40_000, 50_000, 60_000
  };

  private static final long[] WEBHOOK_MILLIS = {
    5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000
  };
  private static final long[] REST_MILLIS = {
    5, 25, 100, 250, 500, 1000, 2000, 4000, 8000, 15_000, 30_000, 60_000
  };

  /** 12 bounds from 10 ns to 1000 s. */
  private static final int WORKQUEUE_BOUNDS = 12;

  private static final long WORKQUEUE_FIRST_NANOS = 10;

  private Buckets() {}

  /** 40 bounds from 5 ms to 60 s, as controller-runtime has for the time of an attempt. */
  static Duration[] reconcile() {
    return LongStream.of(RECONCILE_MILLIS).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
  }

  /** 12 bounds from 5 ms to 60 s, as client-go has for its requests. */
  static Duration[] restClient() {
    return LongStream.of(REST_MILLIS).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
  }

  /** The default buckets of the Prometheus clients, as controller-runtime has for webhooks. */
  static Duration[] webhook() {
    return LongStream.of(WEBHOOK_MILLIS).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
  }

  /** Powers of ten, as client-go has for its work queue. */
  static Duration[] workqueue() {
    return LongStream.iterate(WORKQUEUE_FIRST_NANOS, nanos -> nanos * 10)
        .limit(WORKQUEUE_BOUNDS)
        .mapToObj(Duration::ofNanos)
        .toArray(Duration[]::new);
  }
}
