// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.AttemptSpan;
import dev.coxswain.spi.ControllerTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A telemetry that also records a span for each attempt of one controller.
 *
 * <p>Thread rule: as {@link ControllerTelemetry}.
 */
final class SpanTelemetry extends ForwardingTelemetry {

  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final AttributeKey<String> LINK = AttributeKey.stringKey("coxswain.link");
  private static final Attributes CAUSE = Attributes.of(LINK, "cause");
  private static final Attributes PREVIOUS = Attributes.of(LINK, "previous_attempt");

  private final String controller;
  private final Tracer tracer;
  private final CauseStore causes = new CauseStore();

  /** The waits of the attempt that is about to begin. */
  private long ready;

  private long token;

  SpanTelemetry(String controller, ControllerTelemetry metrics, Tracer tracer) {
    super(metrics);
    this.controller = controller;
    this.tracer = tracer;
  }

  @Override
  public boolean traces() {
    return true;
  }

  @Override
  public void started(long readyNanos) {
    ready = readyNanos;
    super.started(readyNanos);
  }

  @Override
  public void tokenGranted(long waitedNanos) {
    token = waitedNanos;
    super.tokenGranted(waitedNanos);
  }

  @Override
  public void caused(Object request, String traceParent) {
    causes.add(request, traceParent);
  }

  @Override
  public AttemptSpan begin(Object request, ReconcileContext attempt) {
    SpanBuilder builder =
        tracer
            .spanBuilder("reconcile " + controller)
            .setNoParent()
            .setAttribute("coxswain.controller", controller)
            .setAttribute("coxswain.key", attempt.key())
            .setAttribute("coxswain.attempt", attempt.attemptId())
            .setAttribute("coxswain.failures", attempt.failures())
            .setAttribute("coxswain.trigger", attempt.trigger().name().toLowerCase(Locale.ROOT))
            .setAttribute("coxswain.queue_wait_seconds", ready / NANOS_PER_SECOND)
            .setAttribute("coxswain.token_wait_seconds", token / NANOS_PER_SECOND);
    token = 0;
    if (request instanceof Request object) {
      builder
          .setAttribute("coxswain.namespace", object.namespace())
          .setAttribute("coxswain.name", object.name());
    }
    if (attempt.slot() >= 0) {
      builder
          .setAttribute("coxswain.slot", attempt.slot())
          .setAttribute("coxswain.epoch", attempt.epoch());
    }
    causes.take(
        request,
        cause -> builder.addLink(TraceFormat.parse(cause), CAUSE),
        previous -> builder.addLink(TraceFormat.parse(previous), PREVIOUS));
    return new Recorded(request, builder.startSpan());
  }

  private final class Recorded implements AttemptSpan {
    private final Object request;
    private final Span span;
    private final String traceParent;

    Recorded(Object request, Span span) {
      this.request = request;
      this.span = span;
      this.traceParent = TraceFormat.format(span.getSpanContext());
    }

    @Override
    public String traceParent() {
      return traceParent;
    }

    @Override
    public void end(String result, @Nullable String error) {
      span.setAttribute("coxswain.result", result);
      boolean again =
          switch (result) {
            case "error", "timeout", "terminal" -> {
              span.setStatus(StatusCode.ERROR, error == null ? "" : error);
              yield !result.equals("terminal");
            }
            case "requeue", "requeue_after" -> true;
            default -> false;
          };
      span.end();
      if (again && TraceFormat.isRecorded(traceParent)) {
        causes.previous(request, traceParent);
      }
    }
  }

  /**
   * The traces to which the next attempt of each request links: those of its causes, and that of its
   * previous attempt. Bounded; the oldest requests are forgotten first.
   */
  private static final class CauseStore {

    static final int MAX_REQUESTS = 10_000;
    static final int MAX_CAUSES = 8;

    private static final class Links {
      private final List<String> causes = new ArrayList<>(1);
      private @Nullable String previous;
    }

    private final Map<Object, Links> requests = new LinkedHashMap<>();

    /** Adds a cause; further ones than {@link #MAX_CAUSES} are not kept. */
    void add(Object request, String traceParent) {
      List<String> causes = of(request).causes;
      if (causes.size() < MAX_CAUSES && !causes.contains(traceParent)) {
        causes.add(traceParent);
      }
    }

    /** Sets the previous attempt. */
    void previous(Object request, String traceParent) {
      of(request).previous = traceParent;
    }

    /** Passes the links of a request on, and forgets them. */
    void take(Object request, Consumer<String> cause, Consumer<String> previous) {
      Links links = requests.remove(request);
      if (links != null) {
        links.causes.forEach(cause);
        if (links.previous != null) {
          previous.accept(links.previous);
        }
      }
    }

    private Links of(Object request) {
      Links links = requests.computeIfAbsent(request, _ -> new Links());
      if (requests.size() > MAX_REQUESTS) {
        requests.remove(requests.keySet().iterator().next());
      }
      return links;
    }
  }
}
