// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.cache.ObjectVersion;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

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
}
