// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.loop.UserFailures;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.spi.AttemptSpan;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.Phase;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A telemetry whose exceptions are contained, because the queue calls it in the middle of its work.
 * Failures of user code are logged here, those of the telemetry included, once per kind.
 *
 * <p>Thread rule: {@link #userCodeFailed(String, Throwable)} any thread, the rest confined to the
 * controller's event loop.
 */
final class ContainedTelemetry implements ControllerTelemetry {
  private final ControllerTelemetry inner;
  private final UserFailures failures;
  private final boolean traces;

  ContainedTelemetry(ControllerTelemetry inner, UserFailures failures) {
    this.inner = inner;
    this.failures = failures;
    this.traces = traces(inner);
  }

  private boolean traces(ControllerTelemetry of) {
    try {
      return of.traces();
    } catch (Throwable e) { // see the class
      failed(e);
      return false;
    }
  }

  private void failed(Throwable e) {
    failures.report("telemetry", e);
  }

  private void rare(Consumer<ControllerTelemetry> event) {
    try {
      event.accept(inner);
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void requeueAfterIgnored() {
    rare(ControllerTelemetry::requeueAfterIgnored);
  }

  @Override
  public void userCodeFailed(String place, Throwable cause) {
    failures.report(place, cause);
    rare(to -> to.userCodeFailed(place, cause));
  }

  @Override
  public void added(int priority) {
    try {
      inner.added(priority);
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void merged(Phase phase) {
    try {
      inner.merged(phase);
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void delayed() {
    try {
      inner.delayed();
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void started(long readyNanos) {
    try {
      inner.started(readyNanos);
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void tokenGranted(long waitedNanos) {
    try {
      inner.tokenGranted(waitedNanos);
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void finished(Outcome outcome, long nanos) {
    try {
      inner.finished(outcome, nanos);
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void terminal() {
    rare(ControllerTelemetry::terminal);
  }

  @Override
  public void failed(String cause) {
    rare(to -> to.failed(cause));
  }

  @Override
  public void lostOwnership() {
    rare(ControllerTelemetry::lostOwnership);
  }

  @Override
  public void panicked() {
    rare(ControllerTelemetry::panicked);
  }

  @Override
  public void timedOut() {
    rare(ControllerTelemetry::timedOut);
  }

  @Override
  public void userCodeFailed() {
    rare(ControllerTelemetry::userCodeFailed);
  }

  @Override
  public void wokeUp(long lateNanos) {
    try {
      inner.wokeUp(lateNanos);
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void rejected() {
    rare(ControllerTelemetry::rejected);
  }

  @Override
  public boolean traces() {
    return traces;
  }

  @Override
  public void caused(Object request, String traceParent) {
    rare(to -> to.caused(request, traceParent));
  }

  @Override
  public @Nullable AttemptSpan begin(Object request, ReconcileContext attempt) {
    try {
      AttemptSpan span = inner.begin(request, attempt);
      return span == null ? null : new ContainedSpan(span, span.traceParent());
    } catch (Throwable e) { // see the class
      failed(e);
      return null;
    }
  }

  private final class ContainedSpan implements AttemptSpan {
    private final AttemptSpan inner;
    private final String traceParent;

    ContainedSpan(AttemptSpan inner, String traceParent) {
      this.inner = inner;
      this.traceParent = traceParent;
    }

    @Override
    public String traceParent() {
      return traceParent;
    }

    @Override
    public void end(String result, @Nullable String error) {
      try {
        inner.end(result, error);
      } catch (Throwable e) { // see the class
        failed(e);
      }
    }
  }
}
