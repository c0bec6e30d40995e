// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Passes on the requests that a controller has begun to own.
 *
 * @param changes passes those whose object has changed since the former owner saw it: events
 */
record AcquiredRequests(
    EventSink<Request> to, Predicate<Request> requests, Predicate<Request> changes)
    implements EventSink<Request> {

  @Override
  public void add(Request request, int priority, Trigger trigger) {
    if (requests.test(request)) {
      to.add(request, PRIORITY_LOW, cause(request));
    }
  }

  @Override
  public void addAfter(Request request, Duration delay, int priority, Trigger trigger) {
    if (requests.test(request)) {
      to.addAfter(request, delay, PRIORITY_LOW, cause(request));
    }
  }

  private Trigger cause(Request request) {
    return changes.test(request) ? Trigger.EVENT : Trigger.ACQUIRED;
  }

  @Override
  public void forget(Request request) {
    // An annotation of the object that the former owner has seen.
  }

  @Override
  public int pending() {
    return to.pending();
  }
}
