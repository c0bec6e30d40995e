// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectEvent.Kind;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;

/**
 * Annotations with which somebody who may change an object, and has no other tool than {@code
 * kubectl}, asks the controllers that watch it for something. Every {@link KindSource} heeds them,
 * also when its predicates would keep the event from it.
 *
 * <h2>What counts</h2>
 *
 * Only a new value does, set or changed between two states of the object that the source has seen.
 * A value that is there when the source first hears of the object, which is at every start and with
 * every new object, does not, or each restart would repeat every wish ever made; nothing is lost by
 * it, since everything is reconciled then anyway. Removing an annotation means nothing. Which value
 * does not matter; the time is usual, so that the next one differs.
 *
 * <h2>Whom it is for</h2>
 *
 * The requests that the handler of the source makes of the object: itself, its owner, or whatever a
 * mapping finds.
 *
 * <p>Thread rule: stateless.
 */
public final class RequestAnnotations {

  /** Has the object be reconciled now, whatever it waits for. */
  public static final String RECONCILE_REQUESTED_AT = "coxswain.dev/reconcile-requested-at";

  /** Resets the failures of the object, so that its next backoff is the shortest one again. */
  public static final String RESET_BACKOFF = "coxswain.dev/reset-backoff";

  /** What both begin with. */
  private static final String PREFIX = "coxswain.dev/re";

  private RequestAnnotations() {}

  /**
   * What somebody asks for.
   *
   * @param reconcile whether for an attempt now
   * @param forget whether for the failures to be forgotten
   */
  record Wish(boolean reconcile, boolean forget) {
    static final Wish NONE = new Wish(false, false);

    boolean isNone() {
      return !reconcile && !forget;
    }
  }

  /** Returns what an event asks for. Hardly any object has such annotations, so look first. */
  static <T extends KubernetesObject> Wish in(ObjectEvent<T> event) {
    if (event.kind() != Kind.UPDATED || !event.mentions(PREFIX)) {
      return Wish.NONE;
    }
    T before = event.before().orElse(null);
    if (before == null) {
      return Wish.NONE;
    }
    Map<String, String> then = annotations(before);
    Map<String, String> now = annotations(event.object());
    return new Wish(isNew(RECONCILE_REQUESTED_AT, then, now), isNew(RESET_BACKOFF, then, now));
  }

  private static boolean isNew(String name, Map<String, String> then, Map<String, String> now) {
    String value = now.get(name);
    return value != null && !value.equals(then.get(name));
  }

  private static Map<String, String> annotations(KubernetesObject object) {
    V1ObjectMeta metadata = object.getMetadata();
    Map<String, String> annotations = metadata == null ? null : metadata.getAnnotations();
    return annotations == null ? Map.of() : annotations;
  }
}
