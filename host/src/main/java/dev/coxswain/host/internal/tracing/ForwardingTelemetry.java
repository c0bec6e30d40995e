// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.Phase;

/**
 * A telemetry that passes the metrics on to another one.
 *
 * <p>Thread rule: as {@link ControllerTelemetry}.
 */
abstract class ForwardingTelemetry implements ControllerTelemetry {

  private final ControllerTelemetry to;

  ForwardingTelemetry(ControllerTelemetry to) {
    this.to = to;
  }

  @Override
  public void added(int priority) {
    to.added(priority);
  }

  @Override
  public void merged(Phase phase) {
    to.merged(phase);
  }

  @Override
  public void delayed() {
    to.delayed();
  }

  @Override
  public void started(long readyNanos) {
    to.started(readyNanos);
  }

  @Override
  public void tokenGranted(long waitedNanos) {
    to.tokenGranted(waitedNanos);
  }

  @Override
  public void finished(Outcome outcome, long nanos) {
    to.finished(outcome, nanos);
  }

  @Override
  public void terminal() {
    to.terminal();
  }

  @Override
  public void panicked() {
    to.panicked();
  }

  @Override
  public void timedOut() {
    to.timedOut();
  }

  @Override
  public void failed(String cause) {
    to.failed(cause);
  }

  @Override
  public void lostOwnership() {
    to.lostOwnership();
  }

  @Override
  public void userCodeFailed() {
    to.userCodeFailed();
  }

  @Override
  public void userCodeFailed(String place, Throwable cause) {
    to.userCodeFailed(place, cause);
  }

  @Override
  public void requeueAfterIgnored() {
    to.requeueAfterIgnored();
  }

  @Override
  public void wokeUp(long lateNanos) {
    to.wokeUp(lateNanos);
  }

  @Override
  public void rejected() {
    to.rejected();
  }
}
