// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * The meters of requests to the API server, as in client-go. The duration of a watch is the time
 * until its response begins.
 *
 * <p>Thread rule: any thread; called on the threads that send requests.
 */
public final class RestClientMetrics implements Interceptor {

  /** The status of a request without a response, as in client-go. */
  private static final String NO_ANSWER = "<error>";

  private final MeterRegistry registry;
  private final String host;
  private final String cluster;

  /** Bounded, since methods are from a fixed set and a status code has three digits. */
  private final Map<String, Counter> requests = new ConcurrentHashMap<>();

  private final Map<String, Timer> durations = new ConcurrentHashMap<>();

  RestClientMetrics(MeterRegistry registry, String host, String cluster) {
    this.registry = registry;
    this.host = host;
    this.cluster = cluster;
    requests("GET", "200");
    duration("GET");
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    String method = HttpMethods.label(chain.request().method());
    long start = System.nanoTime();
    try {
      Response response = chain.proceed(chain.request());
      requests(method, Integer.toString(response.code())).increment();
      return response;
    } catch (IOException e) {
      requests(method, NO_ANSWER).increment();
      throw e;
    } finally {
      duration(method).record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
    }
  }

  private Counter requests(String method, String code) {
    return requests.computeIfAbsent(
        method + " " + code,
        _ -> Meters.REST_REQUESTS.counter(registry, code, method, host, cluster));
  }

  private Timer duration(String method) {
    return durations.computeIfAbsent(
        method,
        _ -> Meters.REST_DURATION.timer(registry, Buckets.restClient(), method, host, cluster));
  }
}
