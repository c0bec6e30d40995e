// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The revisions of objects that the server returned for an apply, with the digest of what was
 * applied.
 *
 * <p>An object at such a revision has all that was applied, also where that cannot be seen in its
 * fields: the server may store a value in another form, or merge a list. Without an entry, after a
 * restart or beyond the limit, such an object is applied once more, which changes nothing.
 *
 * <p>Thread rule: any thread.
 */
final class AppliedRevisions {

  /** The most objects; the one that was not used for the longest time is dropped. */
  static final int LIMIT = 10_000;

  private record Applied(String revision, String digest) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Request, Applied> byKey =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Request, Applied> eldest) {
          return size() > LIMIT;
        }
      };

  /** Stores that an object, as the server returned it, has all of a state. */
  void put(Request key, KubernetesObject stored, AppliedState state) {
    @Nullable String revision = stored.getMetadata().getResourceVersion();
    if (revision != null) {
      lock.lock();
      try {
        byKey.put(key, new Applied(revision, state.digest()));
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns whether the state was applied to this very revision of an object. */
  boolean has(Request key, KubernetesObject observed, AppliedState state) {
    @Nullable String revision = observed.getMetadata().getResourceVersion();
    lock.lock();
    try {
      @Nullable Applied applied = byKey.get(key);
      return applied != null
          && applied.revision().equals(revision)
          && applied.digest().equals(state.digest());
    } finally {
      lock.unlock();
    }
  }
}
