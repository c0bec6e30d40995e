// SPDX-License-Identifier: Apache-2.0
/**
 * Traces of attempts and of their requests to the API server, sent to a collector by OTLP over HTTP.
 *
 * <p>The only package that imports OpenTelemetry ({@code PackagesTest}). Off by default; then no class of OpenTelemetry is loaded. {@link
 * dev.coxswain.host.internal.tracing.Tracing} is what the rest of the host uses. Spans are recorded on the
 * threads that do the work, and sent by a thread of their own.
 */
@NullMarked
package dev.coxswain.host.internal.tracing;

import org.jspecify.annotations.NullMarked;
