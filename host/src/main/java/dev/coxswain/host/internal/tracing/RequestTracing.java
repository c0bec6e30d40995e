// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.io.IOException;
import java.util.List;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Records a span for each request of an attempt to the API server, as a child of the attempt's, and
 * sends its context as {@code traceparent}. The span ends when the response begins. Requests that
 * belong to no attempt, such as watches and renewals of Leases, are not traced.
 *
 * <p>Thread rule: any thread; called on the threads that send requests.
 */
final class RequestTracing implements Interceptor {

  private static final int FIRST_ERROR = 400;
  private static final String ERROR_TYPE = "error.type";

  private final Tracer tracer;

  RequestTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    String parent = CurrentAttempt.get().map(ReconcileContext::traceParent).orElse("");
    if (parent.isEmpty()) {
      return chain.proceed(request);
    }
    HttpUrl url = request.url();
    Span span =
        tracer
            .spanBuilder(name(request.method(), url.pathSegments()))
            .setSpanKind(SpanKind.CLIENT)
            .setParent(Context.root().with(Span.wrap(TraceFormat.parse(parent))))
            .setAttribute("http.request.method", request.method())
            .setAttribute("url.full", url.toString())
            .setAttribute("server.address", url.host())
            .setAttribute("server.port", url.port())
            .startSpan();
    try {
      Response response =
          chain.proceed(
              request
                  .newBuilder()
                  .header(TraceFormat.HEADER, TraceFormat.format(span.getSpanContext()))
                  .build());
      span.setAttribute("http.response.status_code", response.code());
      if (response.code() >= FIRST_ERROR) {
        span.setAttribute(ERROR_TYPE, Integer.toString(response.code()));
        span.setStatus(StatusCode.ERROR);
      }
      return response;
    } catch (IOException | RuntimeException e) {
      span.setAttribute(ERROR_TYPE, e.getClass().getName());
      span.setStatus(StatusCode.ERROR, e.toString());
      throw e;
    } finally {
      span.end();
    }
  }

  /** Returns a name of which there are few, such as {@code PUT deployments/scale}. */
  static String name(String method, List<String> path) {
    int at = path.getFirst().equals("api") ? 2 : path.getFirst().equals("apis") ? 3 : path.size();
    if (at + 2 < path.size() && path.get(at).equals("namespaces") && !isPart(path.get(at + 2))) {
      at += 2;
    }
    if (at >= path.size()) {
      return method;
    }
    String name = method + " " + path.get(at);
    return at + 2 < path.size() ? name + "/" + path.get(at + 2) : name;
  }

  /** Returns whether it is a part of a namespace, not a resource in it. */
  private static boolean isPart(String segment) {
    return segment.equals("status") || segment.equals("finalize");
  }
}
