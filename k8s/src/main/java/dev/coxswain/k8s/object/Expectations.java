// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.object;

import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The own writes for a request that a cache has not received yet. A reconciler that counts objects in
 * a cache waits for them, so that it does not create one a second time; the events of the writes
 * cause the next attempt. {@link dev.coxswain.k8s.source.KindSelection#readYourWrites} makes them
 * needless, where it is possible.
 *
 * <pre>{@code
 * if (!expectations.areMet(request, pods)) {
 *   return Result.requeueAfter(Expectations.EXPIRY); // or earlier, by the events of the own writes
 * }
 * }</pre>
 *
 * <p>Thread rule: any thread.
 */
public final class Expectations {

  /** The time after which a write is no longer waited for; its event was lost, or it was undone. */
  public static final Duration EXPIRY = Duration.ofMinutes(5);

  private final Clock clock;

  /** In the order of the last writes, so that those that nobody reads any more are found. */
  private final Map<Request, Expected> expected = new LinkedHashMap<>();

  private record Expected(List<Write> writes, long since) {}

  /**
   * A write.
   *
   * @param version the stored version; empty for a deletion
   */
  private record Write(Request key, String uid, String version) {

    /**
     * Whether a cache that has received this write has received an earlier one too. A deletion tells
     * nothing about a creation: an object that the cache has not received yet looks deleted.
     */
    boolean includes(Write earlier) {
      return key.equals(earlier.key) && (!version.isEmpty() || equals(earlier));
    }
  }

  /**
   * Creates an instance without expectations; one for each cache.
   *
   * @param clock the time
   */
  public Expectations(Clock clock) {
    this.clock = clock;
  }

  /**
   * Expects an object that was created or changed.
   *
   * @param request the request for which it was written
   * @param stored the object as the server returned it
   */
  public void written(Request request, KubernetesObject stored) {
    add(request, stored, Objects.requireNonNull(stored.getMetadata().getResourceVersion()));
  }

  /**
   * Expects that this incarnation of an object is gone, or marked as being deleted.
   *
   * @param request the request for which it was deleted
   * @param object the object as read
   */
  public void deleted(Request request, KubernetesObject object) {
    add(request, object, "");
  }

  private void add(Request request, KubernetesObject object, String version) {
    V1ObjectMeta metadata = object.getMetadata();
    String namespace = metadata.getNamespace();
    Write write =
        new Write(
            new Request(
                namespace == null ? "" : namespace, Objects.requireNonNull(metadata.getName())),
            Objects.requireNonNull(metadata.getUid()),
            version);
    long now = clock.nanos();
    synchronized (expected) {
      dropExpired(now);
      Expected before = expected.remove(request);
      List<Write> writes = before == null ? new ArrayList<>() : before.writes;
      writes.removeIf(write::includes);
      writes.add(write);
      expected.put(request, new Expected(writes, now));
    }
  }

  private void dropExpired(long now) {
    Iterator<Expected> oldest = expected.values().iterator();
    while (oldest.hasNext() && now - oldest.next().since >= EXPIRY.toNanos()) {
      oldest.remove();
    }
  }

  /**
   * Returns whether a cache has received all writes for a request, or they have expired. Those that
   * it has received are forgotten.
   *
   * @param cache the running source of the written objects
   */
  public boolean areMet(Request request, KindSource<?> cache) {
    synchronized (expected) {
      dropExpired(clock.nanos());
      Expected mine = expected.get(request);
      if (mine != null) {
        mine.writes.removeIf(write -> isReceived(write, cache));
        if (mine.writes.isEmpty()) {
          expected.remove(request);
        }
      }
      return !expected.containsKey(request);
    }
  }

  private static boolean isReceived(Write write, KindSource<?> cache) {
    Optional<V1ObjectMeta> present = cache.get(write.key).map(KubernetesObject::getMetadata);
    if (write.version.isEmpty()) {
      return present
          .filter(found -> write.uid.equals(found.getUid()) && found.getDeletionTimestamp() == null)
          .isEmpty();
    }
    return present.filter(found -> reaches(found.getResourceVersion(), write)).isPresent()
        // Received, and gone again or out of the selection since.
        || reaches(cache.position(), write);
  }

  private static boolean reaches(@Nullable String version, Write write) {
    return version != null && Versions.reaches(version, write.version);
  }

  /** Expects nothing for a request any more, such as one whose object is gone. */
  public void forget(Request request) {
    synchronized (expected) {
      expected.remove(request);
    }
  }
}
