// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.queue.Phase;
import dev.coxswain.telemetry.ControllerTelemetry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a telemetry that throws from disturbing the queue, which calls it in the middle of its
 * work. The first failure is reported, the others are not: telemetry that fails once fails a
 * thousand times a second.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class ContainedTelemetry implements ControllerTelemetry {
  private static final Logger log = LoggerFactory.getLogger(ContainedTelemetry.class);

  private final ControllerTelemetry inner;
  private final String controller;
  private boolean reported;

  ContainedTelemetry(ControllerTelemetry inner, String controller) {
    this.inner = inner;
    this.controller = controller;
  }

  private void failed(Throwable e) {
    if (!reported) {
      reported = true;
      log.atError()
          .addKeyValue("controller", controller)
          .setCause(e)
          .log("telemetry failed, further failures are not reported");
    }
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
    try {
      inner.terminal();
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void panicked() {
    try {
      inner.panicked();
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void timedOut() {
    try {
      inner.timedOut();
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }

  @Override
  public void userCodeFailed() {
    try {
      inner.userCodeFailed();
    } catch (Throwable e) { // see the class
      failed(e);
    }
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
    try {
      inner.rejected();
    } catch (Throwable e) { // see the class
      failed(e);
    }
  }
}
