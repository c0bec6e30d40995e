// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.cache.ObjectVersion;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Acquisition;
import dev.coxswain.source.EventSink;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Passes all owned objects of a cache to a listener once more, as an initial list would.
 *
 * <p>Thread rule: runs on a virtual thread, until its source stops.
 *
 * @param changed receives objects that have changed since the position
 * @param others receives the others
 * @param position a resource version; everything counts as changed without one
 */
record Redelivery<T extends KubernetesObject>(
    InformerHandle<T> cache,
    ObjectListener<T> changed,
    ObjectListener<T> others,
    String position,
    CountDownLatch stopped,
    UserCode userCode)
    implements Runnable {

  private static final long BUSY_MILLIS = 10;

  /**
   * Creates the delivery of what a controller has begun to own.
   *
   * @param listener returns a listener that passes its requests to a sink
   */
  static <T extends KubernetesObject> Redelivery<T> of(
      InformerHandle<T> cache,
      Acquisition<Request> acquired,
      EventSink<Request> to,
      Function<EventSink<Request>, ObjectListener<T>> listener,
      CountDownLatch stopped,
      UserCode userCode) {
    Predicate<Request> changes = acquired.position().isEmpty() ? _ -> false : acquired.known();
    return new Redelivery<>(
        cache,
        listener.apply(new AcquiredRequests(to, acquired.requests(), changes)),
        listener.apply(new AcquiredRequests(to, acquired.unknown(), _ -> false)),
        acquired.position(),
        stopped,
        userCode);
  }

  @Override
  public void run() {
    for (Request key : cache.owned().keys()) {
      if (!mayGoOn()) {
        return;
      }
      try {
        Optional<ObjectEvent<T>> event = cache.asListed(key);
        event.ifPresent(one -> (hasChanged(key) ? changed : others).onEvent(one));
      } catch (Throwable e) {
        userCode.failed("handler failed, skipping the object until its next event", key, e);
      }
    }
  }

  private boolean hasChanged(Request key) {
    ObjectVersion version = cache.version(key);
    return position.isEmpty()
        || version == null
        || !Versions.reaches(position, version.resourceVersion());
  }

  /** Waits while the controller has many requests to take over; returns false after the stop. */
  private boolean mayGoOn() {
    try {
      while (!changed.isReady()) {
        if (stopped.await(BUSY_MILLIS, TimeUnit.MILLISECONDS)) {
          return false;
        }
      }
      return stopped.getCount() > 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Passes on the requests that a controller has begun to own.
   *
   * @param changes passes those whose object has changed since the former owner saw it: events
   */
  private record AcquiredRequests(
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
}
