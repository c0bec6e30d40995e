// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** A collector on a loopback port, which parses what it receives. */
final class TraceCollector implements AutoCloseable {

  /** What it does with a request. */
  enum Mode {
    ACCEPTS,
    REFUSES,
    IS_SILENT
  }

  private final Vertx vertx = Vertx.vertx();
  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private final List<Map<String, String>> resources = new CopyOnWriteArrayList<>();
  private final List<String> keys = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private volatile Mode mode = Mode.ACCEPTS;

  TraceCollector() {
    server =
        vertx
            .createHttpServer()
            .requestHandler(request -> request.body().onSuccess(body -> take(request, body)))
            .listen(0, "127.0.0.1")
            .await();
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.actualPort() + "/v1/traces";
  }

  void mode(Mode value) {
    mode = value;
  }

  private void take(HttpServerRequest request, Buffer body) {
    if (mode == Mode.IS_SILENT) {
      return;
    }
    if (mode == Mode.REFUSES || !"/v1/traces".equals(request.path())) {
      request.response().setStatusCode(400).end();
      return;
    }
    keys.add(String.valueOf(request.getHeader("api-key")));
    try {
      ExportTraceServiceRequest message = ExportTraceServiceRequest.parseFrom(body.getBytes());
      message
          .getResourceSpansList()
          .forEach(part -> {
            resources.add(attributes(part.getResource().getAttributesList()));
            part.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList()));
          });
      request.response().putHeader("Content-Type", "application/x-protobuf").end();
    } catch (InvalidProtocolBufferException e) {
      request.response().setStatusCode(400).end(e.getMessage());
    }
  }

  List<Span> spans() {
    return spans;
  }

  List<Map<String, String>> resources() {
    return resources;
  }

  /** Returns the values of the header {@code api-key}. */
  List<String> keys() {
    return keys;
  }

  /** Waits for a span. */
  Span await(Predicate<Span> wanted) {
    until(() -> spans.stream().anyMatch(wanted));
    return spans.stream().filter(wanted).findFirst().orElseThrow();
  }

  static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("did not become true within 60 s").isNegative();
      LockSupport.parkNanos(10_000_000);
    }
  }

  static Map<String, String> attributes(Span span) {
    return attributes(span.getAttributesList());
  }

  private static Map<String, String> attributes(List<KeyValue> pairs) {
    Map<String, String> attributes = new TreeMap<>();
    pairs.forEach(pair -> attributes.put(pair.getKey(), text(pair.getValue())));
    return attributes;
  }

  private static String text(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case INT_VALUE -> Long.toString(value.getIntValue());
      case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
      default -> value.toString();
    };
  }

  static String traceId(Span span) {
    return HexFormat.of().formatHex(span.getTraceId().toByteArray());
  }

  static String spanId(Span span) {
    return HexFormat.of().formatHex(span.getSpanId().toByteArray());
  }

  /** Returns the links as {@code kind of a span id}. */
  static List<String> links(Span span) {
    return span.getLinksList().stream()
        .map(link ->
            attributes(link.getAttributesList()).get("coxswain.link")
                + " "
                + HexFormat.of().formatHex(link.getSpanId().toByteArray()))
        .toList();
  }

  @Override
  public void close() {
    vertx.close().await();
  }
}
