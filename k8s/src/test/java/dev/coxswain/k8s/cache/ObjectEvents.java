// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Objects;

/** Makes events of ConfigMaps for the tests of predicates and handlers. */
public final class ObjectEvents {

  private ObjectEvents() {}

  /** Returns the arrival of an object. */
  public static ObjectEvent<V1ConfigMap> added(V1ConfigMap object) {
    return event(ObjectEvent.Kind.ADDED, null, object, Trigger.EVENT);
  }

  /** Returns the end of an object. */
  public static ObjectEvent<V1ConfigMap> deleted(V1ConfigMap object) {
    return event(ObjectEvent.Kind.DELETED, null, object, Trigger.EVENT);
  }

  /** Returns a change of an object. */
  public static ObjectEvent<V1ConfigMap> updated(V1ConfigMap before, V1ConfigMap now) {
    return event(ObjectEvent.Kind.UPDATED, before, now, Trigger.EVENT);
  }

  /** Returns another look at an object. */
  public static ObjectEvent<V1ConfigMap> resync(V1ConfigMap object) {
    return event(ObjectEvent.Kind.UPDATED, object, object, Trigger.RESYNC);
  }

  private static ObjectEvent<V1ConfigMap> event(
      ObjectEvent.Kind kind,
      @org.jspecify.annotations.Nullable V1ConfigMap before,
      V1ConfigMap now,
      Trigger trigger) {
    return new ObjectEvent<>(
        kind,
        entry(now).key(),
        before == null ? null : Objects.requireNonNull(entry(before)).entry(),
        entry(now).entry(),
        trigger,
        V1ConfigMap.class);
  }

  private static Entry.Keyed entry(V1ConfigMap object) {
    return Entry.of(
        Json.encode(object), new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", ""));
  }
}
