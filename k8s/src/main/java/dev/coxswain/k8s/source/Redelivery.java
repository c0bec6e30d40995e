// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Passes all objects of a cache to a listener once more, as an initial list would.
 *
 * <p>Thread rule: runs on a virtual thread, until its source stops.
 */
record Redelivery<T extends KubernetesObject>(
    InformerHandle<T> cache, ObjectListener<T> listener, CountDownLatch stopped, UserCode userCode)
    implements Runnable {

  private static final long BUSY_MILLIS = 10;

  @Override
  public void run() {
    for (Request key : cache.keys()) {
      if (!mayGoOn()) {
        return;
      }
      try {
        Optional<ObjectEvent<T>> event = cache.asListed(key);
        event.ifPresent(listener::onEvent);
      } catch (Throwable e) {
        userCode.failed("handler failed, skipping the object until its next event", key, e);
      }
    }
  }

  /** Waits while the controller has many requests to take over; returns false after the stop. */
  private boolean mayGoOn() {
    try {
      while (!listener.isReady()) {
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
}
