// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;

/** The {@code traceparent} header of W3C Trace Context, version 00. */
final class TraceFormat {

  static final String HEADER = "traceparent";

  private static final int TRACE_ID = 3;
  private static final int SPAN_ID = 36;
  private static final int FLAGS = 53;

  private TraceFormat() {}

  static String format(SpanContext context) {
    return "00-"
        + context.getTraceId()
        + "-"
        + context.getSpanId()
        + "-"
        + context.getTraceFlags().asHex();
  }

  /** Parses a well-formed header; the result is invalid when an id is zero. */
  static SpanContext parse(String header) {
    return SpanContext.create(
        header.substring(TRACE_ID, SPAN_ID - 1),
        header.substring(SPAN_ID, FLAGS - 1),
        TraceFlags.fromHex(header, FLAGS),
        TraceState.getDefault());
  }

  /** Returns whether the trace is recorded. */
  static boolean isRecorded(String header) {
    return TraceFlags.fromHex(header, FLAGS).isSampled();
  }
}
