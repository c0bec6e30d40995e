// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A host with a controller whose attempts hold carriers of virtual threads, one of them by
 * computing, the others in native code, and with another controller.
 */
@Isolated
class HeldCarriersTest {

  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
  private static final Duration NAMED_WITHIN = Duration.ofSeconds(60);
  private static final Pattern TWO_INNOCENT =
      Pattern.compile("coxswain_cache_objects\\{cache=\"[^\"]*innocent[^\"]*\"} 2");

  private final VirtualThreadSchedulerMXBean scheduler =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
  private final int carriers = scheduler.getParallelism();
  private final HttpClient http = HttpClient.newHttpClient();
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes user = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final MethodHandle poll = nativePoll();
  private final AtomicInteger holding = new AtomicInteger();
  private final Set<String> reconciled = ConcurrentHashMap.newKeySet();
  private volatile boolean released;
  private @Nullable Host host;

  @AfterEach
  void stop() {
    released = true;
    Host running = host;
    if (running != null) {
      running.stop().await();
    }
    Await.until("attempts that have ended", () -> holding.get() == 0);
    scheduler.setParallelism(carriers);
    user.close();
    http.close();
    server.close();
  }

  @SuppressWarnings("restricted") // a call into native code is what this test is about
  private static MethodHandle nativePoll() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("poll"),
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT));
  }

  private Result hold() throws Exception {
    boolean spins = holding.getAndIncrement() == 0;
    try {
      while (!released) {
        if (!spins) {
          blockInNativeCode();
        }
      }
    } finally {
      holding.decrementAndGet();
    }
    return Result.done();
  }

  private void blockInNativeCode() {
    try {
      int _ = (int) poll.invokeExact(0L, 0L, 50); // no descriptors: blocks for 50 ms
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private ControllerDefinition definition(
      String name, int concurrency, Reconciler<Request> reconciler) {
    return new ReplicaFixture.Definition(
        name,
        environment ->
            Controller.named(name)
                .options(options -> options.withConcurrency(concurrency))
                .watches(
                    environment
                        .get(Kubernetes.class)
                        .kind(V1ConfigMap.class)
                        .labels("for=" + name)
                        .toSource())
                .reconciles(reconciler));
  }

  private void create(String controller, int number) {
    user.resource(V1ConfigMap.class)
        .create(
            new V1ConfigMap()
                .metadata(
                    new V1ObjectMeta()
                        .namespace("default")
                        .name(controller + number)
                        .putLabelsItem("for", controller)));
  }

  private Host start(int attempts, String... settings) {
    String[] all = new String[settings.length + 3];
    all[0] = "changes.pauses.enabled=false";
    all[1] = "membership.renewPeriod=200ms";
    all[2] = "membership.slots=16";
    System.arraycopy(settings, 0, all, 3, settings.length);
    Host created =
        new Host(
            Admin.configuration("one", all),
            List.of(
                definition("guilty", attempts, (_, _) -> hold()),
                definition(
                    "innocent",
                    1,
                    (request, _) -> {
                      reconciled.add(request.name());
                      return Result.done();
                    })),
            Kubernetes.at(server.url(), KubernetesOptions.DEFAULT),
            new HostMetrics("one"),
            Clock.system());
    host = created;
    created.start().await();
    create("innocent", 0);
    Await.until("the other controller", () -> reconciled.contains("innocent0"));
    for (int i = 0; i < attempts; i++) {
      create("guilty", i);
    }
    return created;
  }

  private String renewed() {
    V1Lease lease =
        user.resource(V1Lease.class)
            .get(new Request("default", "coxswain-replica-0"))
            .orElseThrow();
    return String.valueOf(Objects.requireNonNull(lease.getSpec()).getRenewTime());
  }

  private HttpResponse<String> get(String url) {
    LockSupport.parkNanos(
        TimeUnit.MILLISECONDS.toNanos(100)); // one caller may send some twenty a second
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(30)).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void awaitRenewals() {
    for (int i = 0; i < 3; i++) {
      String before = renewed();
      Await.until("a renewal of the Lease", () -> !renewed().equals(before));
    }
  }

  private String awaitNamed(Host running) {
    long begun = System.nanoTime();
    String url = running.report().admin() + "/api/v1/controllers/guilty";
    Await.until("the condition", () -> get(url).body().contains("carriersBlocked"));
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NAMED_WITHIN);
    return get(url).body();
  }

  @Test
  void asManyAsThereAreProcessors_holdUpNobody_andAreNamed() {
    scheduler.setParallelism(Math.max(carriers, 4 * PROCESSORS)); // as the host's own process does
    Host running = start(2 * PROCESSORS);
    Await.until("attempts that hold", () -> holding.get() == 2 * PROCESSORS);

    assertThat(awaitNamed(running)).contains("HeldCarriersTest.hold", "default/guilty");
    awaitRenewals();
    create("innocent", 1);
    Await.until("the other controller", () -> reconciled.contains("innocent1"));
    assertThat(get(running.report().health() + "/livez").statusCode()).isEqualTo(200);
    assertThat(get(running.report().admin() + "/api/v1/controllers/innocent").body())
        .doesNotContain("carriersBlocked");
  }

  @Test
  void thatHoldAllCarriers_stopNeitherLeaseNorWatchNorAdminApi_andFailLiveness() {
    Host running = start(2 * carriers, "health.carrierWaitLimit=6s");
    Await.until("attempts that hold", () -> holding.get() == carriers);

    assertThat(awaitNamed(running))
        .contains("no carrier of virtual threads is left", "default/guilty");
    awaitRenewals();
    ReplicaReport urls = new ReplicaReport(running);
    create("innocent", 1);
    Await.until("the watch", () -> TWO_INNOCENT.matcher(get(urls.metrics).body()).find());
    assertThat(reconciled).as("its attempts need a carrier").doesNotContain("innocent1");
    Await.until("liveness that fails", () -> get(urls.live).statusCode() == 503);
    assertThat(get(urls.live).body())
        .contains("[-]carriers: virtual threads have waited", "guilty");
    assertThat(get(urls.metrics).body()).contains("coxswain_carrier_wait_seconds ");

    released = true;
    Await.until("the other controller", () -> reconciled.contains("innocent1"));
    Await.until("liveness", () -> get(urls.live).statusCode() == 200);
  }

  @Test
  void onPlatformThreads_holdNoCarrier() {
    Host running = start(2 * carriers, "controllers.guilty.threads=platform");
    Await.until("attempts that hold", () -> holding.get() == 2 * carriers);

    create("innocent", 1);
    Await.until("the other controller", () -> reconciled.contains("innocent1"));
    awaitRenewals();
    assertThat(get(running.report().admin() + "/api/v1/controllers/guilty").body())
        .contains("\"threads\":\"platform\"")
        .doesNotContain("carriersBlocked");
  }

  private static final class ReplicaReport {
    private final String metrics;
    private final String live;

    ReplicaReport(Host host) {
      metrics = host.report().metrics() + "/metrics";
      live = host.report().health() + "/livez";
    }
  }
}
