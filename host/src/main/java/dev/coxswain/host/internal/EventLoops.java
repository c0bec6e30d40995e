// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.metrics.HttpMethods;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The event loops of a host in two groups that share no thread: those of the controllers, which run
 * code of users, and those of the host itself (lifecycle, servers, shared limiter), which must run
 * while controllers block theirs.
 *
 * <p>Thread rule: immutable.
 *
 * @param controllers runs controllers
 * @param host runs everything else
 * @param controllerLoops how many event loops {@code controllers} has
 */
record EventLoops(Vertx controllers, Vertx host, int controllerLoops) {

  /** Event loops of the host; the admin API has one of its own. */
  static final int HOST_LOOPS = 2;

  /** Worker threads of the host, which read files and certificates. */
  private static final int HOST_WORKERS = 4;

  /** Vert.x has one registry of a name in the whole process; each host has its own. */
  private static final AtomicInteger REGISTRIES = new AtomicInteger();

  static EventLoops create(HostMetrics metrics) {
    MicrometerMetricsFactory factory = new MicrometerMetricsFactory(metrics.registry());
    String registry = "coxswain-" + REGISTRIES.incrementAndGet();
    VertxOptions controllers = options(registry);
    VertxOptions host =
        options(registry)
            .setEventLoopPoolSize(HOST_LOOPS)
            .setWorkerPoolSize(HOST_WORKERS)
            .setInternalBlockingPoolSize(HOST_WORKERS);
    return new EventLoops(
        create(controllers, factory), create(host, factory), controllers.getEventLoopPoolSize());
  }

  /** Loads the classes of event loops: some two hundred milliseconds in a process without a start cache. */
  static void loadAhead() {
    Vertx.builder().with(withoutFiles(new VertxOptions())).build().close();
  }

  private static VertxOptions withoutFiles(VertxOptions options) {
    // No files are served: without this Vert.x creates a folder for copies of them.
    options.getFileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    return options;
  }

  private static VertxOptions options(String registry) {
    return withoutFiles(
        new VertxOptions()
            // The watchdog of the host reports blocked event loops sooner, with their controllers.
            .setBlockedThreadCheckInterval(5)
            .setBlockedThreadCheckIntervalUnit(TimeUnit.SECONDS)
            .setMetricsOptions(
                new MicrometerMetricsOptions()
                    .setEnabled(true)
                    .setRegistryName(registry)
                    .setServerRequestTagsProvider(HttpMethods::tags)
                    .setClientRequestTagsProvider(HttpMethods::tags)
                    // Servers are distinguished by their address. No label takes its value from a
                    // client.
                    .setLabels(
                        EnumSet.of(
                            Label.LOCAL, Label.HTTP_CODE, Label.POOL_NAME, Label.POOL_TYPE))));
  }

  private static Vertx create(VertxOptions options, MicrometerMetricsFactory factory) {
    return Vertx.builder()
        .with(options)
        .withTransport(new BoundedTransport())
        .withMetrics(factory)
        .build();
  }

  /** Ends both groups; the controllers' first, so that the servers see the end of them. */
  Future<Void> close() {
    return controllers.close().transform(_ -> host.close());
  }
}
