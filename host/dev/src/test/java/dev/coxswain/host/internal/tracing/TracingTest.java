// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import static dev.coxswain.host.internal.tracing.TraceCollector.attributes;
import static dev.coxswain.host.internal.tracing.TraceCollector.links;
import static dev.coxswain.host.internal.tracing.TraceCollector.spanId;
import static dev.coxswain.host.internal.tracing.TraceCollector.traceId;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.AuditSink;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.source.ChannelSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Traces of a whole host, as a collector and an API server receive them. */
class TracingTest {

  /** Settings of a host on free ports. */
  static final List<String> HOST =
      List.of(
          "replicaName=one",
          "admin.auth.mode=none",
          "admin.port=0",
          "metrics.port=0",
          "health.port=0");

  private static final Request KEY = Request.of("default", "in");

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HeaderProxy proxy = new HeaderProxy(server.url());
  private final TraceCollector collector = new TraceCollector();
  private final List<String> parents = new CopyOnWriteArrayList<>();
  private final ChannelSource<Request> channel = new ChannelSource<>("second");
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
    collector.close();
    proxy.close();
    server.close();
  }

  private void start(String... settings) throws Exception {
    List<String> all = new ArrayList<>(List.of(settings));
    all.addAll(HOST);
    all.add("tracing.endpoint=" + collector.endpoint());
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(
            null, Map.of("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret%20one"), all);
    HostMetrics metrics = new HostMetrics("test");
    Tracing tracing = Tracing.of(configuration.tracing(), "one", "1.2.3", metrics);
    ApiClient client = new ApiClient().setBasePath(proxy.url());
    tracing
        .requests()
        .ifPresent(interceptor ->
            client.setHttpClient(
                client.getHttpClient().newBuilder().addInterceptor(interceptor).build()));
    Host host =
        new Host(
            configuration,
            List.of(new First(), new Second()),
            Kubernetes.of(client, KubernetesOptions.DEFAULT),
            metrics,
            AuditSink.logger(),
            tracing,
            Clock.system());
    open.add(() -> host.stop().await());
    host.start().await();
    host.ready().await();
  }

  private void create(String name) {
    server.apply(
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: %s, namespace: default, labels: {traced: "yes"}}
        """
            .formatted(name));
  }

  /** Fails at first; then writes its object, and lets the other controller do something. */
  private final class First implements ControllerDefinition {
    @Override
    public String name() {
      return "first";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes kubernetes = environment.get(Kubernetes.class);
      var maps = kubernetes.resource(V1ConfigMap.class);
      return Controller.named("first")
          .watches(
              kubernetes
                  .kind(V1ConfigMap.class)
                  .labels("traced=yes")
                  .filter(event -> event.before().isEmpty())
                  .toSource())
          .reconciles((request, context) -> {
            parents.add(context.traceParent());
            if (context.failures() == 0) {
              throw new IllegalStateException("on purpose");
            }
            maps.modify(request, map -> map.putDataItem("done", "yes"));
            channel.offer(request);
            return Result.done();
          });
    }
  }

  private final class Second implements ControllerDefinition {
    @Override
    public String name() {
      return "second";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named("second").watches(channel).reconciles((_, _) -> Result.done());
    }
  }

  /** The flags are: sampled, and with an id that is random. */
  private static String traceParent(Span span) {
    return "00-" + traceId(span) + "-" + spanId(span) + "-03";
  }

  private static boolean isAttempt(Span span, String controller, String result) {
    return span.getName().equals("reconcile " + controller)
        && result.equals(attributes(span).get("coxswain.result"));
  }

  @Test
  void eachAttempt_isASpan_withItsRequestsAsChildren_andLinksToItsCauses() throws Exception {
    start("tracing.enabled=true");
    create("in");
    Span failed = collector.await(span -> isAttempt(span, "first", "error"));
    assertThat(attributes(failed))
        .containsEntry("coxswain.controller", "first")
        .containsEntry("coxswain.namespace", "default")
        .containsEntry("coxswain.name", "in")
        .containsEntry("coxswain.key", KEY.toString())
        .containsEntry("coxswain.failures", "0")
        .containsEntry("coxswain.token_wait_seconds", "0.0")
        .containsKeys(
            "coxswain.attempt", "coxswain.epoch", "coxswain.slot", "coxswain.queue_wait_seconds");
    // The object may have been created before the slot of its key was opened.
    assertThat(attributes(failed).get("coxswain.trigger")).isIn("event", "acquired");
    assertThat(failed.getParentSpanId().isEmpty()).isTrue();
    assertThat(failed.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
    assertThat(failed.getStatus().getMessage()).isEqualTo("IllegalStateException: on purpose");
    assertThat(links(failed)).isEmpty();
    assertThat(collector.resources().getFirst())
        .containsEntry("service.name", "coxswain")
        .containsEntry("service.instance.id", "one")
        .containsEntry("service.version", "1.2.3");
    assertThat(collector.keys()).containsOnly("secret one");

    Span retry = collector.await(span -> isAttempt(span, "first", "success"));
    assertThat(links(retry)).containsExactly("previous_attempt " + spanId(failed));
    assertThat(traceId(retry)).isNotEqualTo(traceId(failed));
    assertThat(attributes(retry)).containsEntry("coxswain.failures", "1");
    assertThat(parents).containsExactly(traceParent(failed), traceParent(retry));

    Span write = collector.await(span -> span.getName().equals("PATCH configmaps"));
    assertThat(write.getParentSpanId()).isEqualTo(retry.getSpanId());
    assertThat(write.getTraceId()).isEqualTo(retry.getTraceId());
    assertThat(write.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_CLIENT);
    assertThat(attributes(write))
        .containsEntry("http.request.method", "PATCH")
        .containsEntry("http.response.status_code", "200")
        .containsEntry("server.address", "127.0.0.1");
    assertThat(proxy.seen())
        .contains(
            new HeaderProxy.Seen(
                "PATCH /api/v1/namespaces/default/configmaps/in", traceParent(write)));
    assertThat(proxy.seen())
        .filteredOn(one -> !one.request().contains("/configmaps/in"))
        .as("requests of no attempt")
        .isNotEmpty()
        .allMatch(one -> one.traceParent().equals("null"));

    Span second = collector.await(span -> isAttempt(span, "second", "success"));
    assertThat(links(second)).containsExactly("cause " + spanId(retry));
  }

  @Test
  void anAttemptThatIsNotSampled_isNotSent_andSaysSoToTheApiServer() throws Exception {
    start("tracing.enabled=true", "tracing.samplingRatio=0");
    create("in");
    TraceCollector.until(() -> proxy.seen().stream().anyMatch(TracingTest::isWrite));
    assertThat(proxy.seen().stream().filter(TracingTest::isWrite))
        .allMatch(one -> one.traceParent().matches("00-[0-9a-f]{32}-[0-9a-f]{16}-02"));
    open.removeLast().close(); // sends what waits
    assertThat(collector.spans()).isEmpty();
  }

  @Test
  void withTracingOff_noRequestHasAHeader_andNothingIsSent() throws Exception {
    start();
    create("in");
    TraceCollector.until(() -> proxy.seen().stream().anyMatch(TracingTest::isWrite));
    open.removeLast().close();
    assertThat(proxy.seen()).allMatch(one -> one.traceParent().equals("null"));
    assertThat(parents).isNotEmpty().containsOnly("");
    assertThat(collector.spans()).isEmpty();
  }

  /** Nothing but the last second would be lost. */
  @Test
  void theStopOfAHost_sendsWhatWaits() throws Exception {
    start("tracing.enabled=true");
    create("in");
    TraceCollector.until(() -> proxy.seen().stream().anyMatch(TracingTest::isWrite));
    open.removeLast().close();
    assertThat(collector.spans()).anyMatch(span -> isAttempt(span, "first", "success"));
  }

  private static boolean isWrite(HeaderProxy.Seen seen) {
    return seen.request().equals("PATCH /api/v1/namespaces/default/configmaps/in");
  }
}
