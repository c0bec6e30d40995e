// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HostTest {

  private final HttpClient http = HttpClient.newHttpClient();
  private final Promise<Void> synced = Promise.promise();
  private final CountDownLatch attempt = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<Host> hosts = new ArrayList<>();

  @AfterEach
  void close() {
    release.countDown();
    hosts.forEach(host -> host.stop().await());
    http.close();
  }

  @Test
  void aReplica_isReadyWhenItsControllersHaveSeenEverything_andShowsThemEverywhere()
      throws Exception {
    Host host = host("health.port=0");
    host.start().await();
    ReplicaReport report = host.report();
    assertThat(get(report.health() + "/livez?verbose").body()).contains("[+]event-loops ok");
    assertThat(get(report.health() + "/healthz").statusCode()).isEqualTo(200);
    assertThat(get(report.health() + "/startupz").statusCode()).isEqualTo(200);
    HttpResponse<String> notReady = get(report.health() + "/readyz");
    assertThat(notReady.statusCode()).isEqualTo(503);
    assertThat(notReady.body())
        .contains("[-]controller/demo: syncing: not all objects listed yet", "readyz check failed");

    synced.complete();
    host.ready().await();
    assertThat(get(report.health() + "/readyz").body()).isEqualTo("ok");
    assertThat(get(report.health() + "/readyz?verbose").body())
        .contains("[+]controller/demo ok", "[!]controller/broken: cannot be started: on purpose");
    assertThat(controllers(report)).contains("demo");
    assertThat(get(report.metrics() + "/metrics").body())
        .contains(
            "workqueue_depth{controller=\"demo\",name=\"demo\",priority=\"\"}",
            "coxswain_controller_up{controller=\"demo\"} 1.0",
            "process_open_fds",
            "jvm_memory_used_bytes",
            "vertx_http_server_");
    assertThat(get(report.metrics() + "/other").statusCode()).isEqualTo(404);
  }

  @Test
  void aStop_makesTheReplicaUnready_thenWaitsForRunningAttempts_andClosesThePortsLast()
      throws Exception {
    synced.complete();
    Host host = host("health.port=0");
    host.start().await();
    host.ready().await();
    String health = host.report().health();
    assertThat(attempt.await(60, TimeUnit.SECONDS)).isTrue();
    Future<Void> stop = host.stop();
    assertThat(get(health + "/readyz").body()).contains("[-]shutdown: stopping");
    assertThat(get(health + "/livez").statusCode()).isEqualTo(200);
    assertThat(stop.isComplete()).isFalse();
    release.countDown();
    stop.await();
    assertThat(host.stop()).isSameAs(stop);
    assertThatThrownBy(() -> get(health + "/livez")).isInstanceOf(java.io.IOException.class);
  }

  @Test
  void aPortInUse_isOneLineThatNamesTheKey() throws Exception {
    for (String key : List.of("health", "metrics", "admin")) {
      try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        Host host = host(key + ".port=" + taken.getLocalPort());
        assertThatThrownBy(() -> host.start().await())
            .hasMessage(
                "port "
                    + taken.getLocalPort()
                    + " on 127.0.0.1 is in use: stop what uses it, or choose another with "
                    + key
                    + ".port in the configuration");
      }
    }
  }

  /** The message had no cause. */
  @Test
  void aReplicaWithoutItsApiServer_saysSoWhereReadinessIsAsked() throws Exception {
    Host host = host("health.port=0", List.of(watcher()));
    host.start().await();
    String body = "";
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    // The controller starts when the replica has had no Lease for a while.
    while (!body.contains("GET /api/v1/configmaps") && System.nanoTime() < deadline) {
      HttpResponse<String> answer = get(host.report().health() + "/readyz?verbose");
      assertThat(answer.statusCode()).isEqualTo(503);
      body = answer.body();
    }
    assertThat(body)
        .contains(
            "[-]controller/watcher: syncing: not all objects listed yet", "[!]cache/ConfigMap: ")
        .contains("GET /api/v1/configmaps", "127.0.0.1:1", "it keeps trying");
    // The informer lists before the start of the controller has returned.
    String controller = "";
    while (!controller.contains("\"synced\"") && System.nanoTime() < deadline) {
      controller = get(host.report().admin() + "/api/v1/controllers/watcher").body();
    }
    assertThat(controller)
        .contains("\"synced\":false", "\"problem\":\"ConfigMap ", "it keeps trying");
  }

  @Test
  void aReplicaWithoutALeaseAndWithoutItsMember_runsAllTheSame_andSaysSo() throws Exception {
    synced.complete();
    release.countDown();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Host host =
          host(
              List.of(
                  "sharedLimiter.enabled=true",
                  "sharedLimiter.members=[127.0.0.1:1]",
                  "sharedLimiter.port=" + taken.getLocalPort()),
              List.of(demo()));
      host.start().await();
      host.ready().await();
      String ready = "";
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!ready.contains("member does not run") && System.nanoTime() < deadline) {
        ready = get(host.report().health() + "/readyz?verbose").body();
      }
      assertThat(ready)
          .contains(
              "[!]replica-lease: no replica lease acquired yet",
              "this replica starts no retries",
              "[!]shared-limiter: the Hazelcast member does not run",
              "readyz check passed");
      assertThat(get(host.report().admin() + "/api/v1/limiters/default").body())
          .contains("\"mode\":\"hazelcast\"", "\"degraded\":true");
      assertThat(get(host.report().metrics() + "/metrics").body())
          .contains(
              "coxswain_limiter_degraded{limiter=\"default\"} 1.0",
              "coxswain_limiter_members 0.0",
              "coxswain_replica_ordinal -1.0",
              "coxswain_replica_lease_acting 0.0");
    }
  }

  private Host host(String setting) throws Exception {
    return host(setting, List.of(demo(), broken()));
  }

  private Host host(String setting, List<ControllerDefinition> definitions) throws Exception {
    return host(List.of(setting), definitions);
  }

  private Host host(List<String> settings, List<ControllerDefinition> definitions)
      throws Exception {
    List<String> all = new ArrayList<>(List.of("changes.pauses.enabled=false")); // no API server
    definitions.forEach(one -> all.add("controllers." + one.name() + ".ownership=everywhere"));
    all.addAll(settings);
    Host host = HostSetup.create(new HostMetrics("test"), definitions, all.toArray(String[]::new));
    hosts.add(host);
    return host;
  }

  private List<String> controllers(ReplicaReport report) throws Exception {
    var items =
        new ObjectMapper()
            .readTree(get(report.admin() + "/api/v1/controllers").body())
            .get("items");
    return StreamSupport.stream(items.spliterator(), false)
        .map(item -> item.get("name").asText())
        .toList();
  }

  private HttpResponse<String> get(String url) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private ControllerDefinition demo() {
    return new HostSetup.Definition(
        "demo",
        _ ->
            Controller.named("demo")
                .watches(new OneObject())
                .reconciles((request, context) -> {
                  attempt.countDown();
                  release.await();
                  return Result.done();
                }));
  }

  private static ControllerDefinition watcher() {
    return new HostSetup.Definition(
        "watcher",
        environment ->
            Controller.named("watcher")
                .watches(environment.get(Kubernetes.class).kind(V1ConfigMap.class).toSource())
                .reconciles((request, context) -> Result.done()));
  }

  private static ControllerDefinition broken() {
    return new HostSetup.Definition(
        "broken",
        _ -> {
          throw new IllegalStateException("on purpose");
        });
  }

  private final class OneObject implements EventSource<Request> {
    @Override
    public String describe() {
      return "one object";
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      sink.add(new Request("default", "one"));
      return synced.future();
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }
}
