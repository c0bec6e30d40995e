// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meters of one webhook, with the names of controller-runtime.
 *
 * <p>Thread rule: any thread.
 */
public final class WebhookMetrics {

  private final MeterRegistry registry;
  private final String path;
  private final Timer latency;
  private final Gauge running;
  private final AtomicInteger inFlight = new AtomicInteger();

  /** Bounded: the server has few codes. */
  private final Map<Integer, Counter> requests = new ConcurrentHashMap<>();

  private boolean closed;

  WebhookMetrics(MeterRegistry registry, String path) {
    this.registry = registry;
    this.path = path;
    this.latency = Meters.WEBHOOK_LATENCY.timer(registry, Buckets.webhook(), path);
    this.running = Meters.WEBHOOK_IN_FLIGHT.gauge(registry, inFlight::get, path);
    requests(200);
    requests(400);
  }

  /** A call has begun. */
  public void started() {
    inFlight.incrementAndGet();
  }

  /**
   * A call has ended.
   *
   * @param code the status of the response, 499 when the caller has disconnected
   * @param nanos its duration
   */
  public synchronized void finished(int code, long nanos) {
    inFlight.decrementAndGet();
    if (closed) {
      return; // its meters would come back
    }
    requests(code).increment();
    latency.record(nanos, TimeUnit.NANOSECONDS);
  }

  /** Removes the meters, since the webhook is not served any more. */
  public synchronized void close() {
    closed = true;
    registry.remove(running);
    registry.remove(latency);
    requests.values().forEach(registry::remove);
  }

  private Counter requests(int code) {
    return requests.computeIfAbsent(
        code, _ -> Meters.WEBHOOK_REQUESTS.counter(registry, path, Integer.toString(code)));
  }
}
