// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectEvent.Kind;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Set;

/**
 * Annotations with which a user of {@code kubectl} requests an action of the controllers that watch
 * an object. Every {@link KindSource} supports them, also for events that its predicates stop.
 *
 * <h2>Which values count</h2>
 *
 * Only a new value counts, set or changed between two states of the object in the cache of the
 * source. A value in the first state, which the source receives at every start and for every new
 * object, does not; otherwise each restart would repeat all earlier actions. Nothing is lost, since
 * every object is reconciled then anyway. Removing an annotation has no effect. Any value will do;
 * the time is usual, so that the next one differs.
 *
 * <h2>Affected requests</h2>
 *
 * The requests that the handler of the source returns for the object: itself, its owner, or those
 * of a mapping.
 *
 * <p>Thread rule: stateless.
 */
public final class RequestAnnotations {

  /** Reconciles the object now, whatever it waits for. */
  public static final String RECONCILE_REQUESTED_AT = "coxswain.dev/reconcile-requested-at";

  /** Resets the failures of the object, so that its next backoff is the shortest one again. */
  public static final String RESET_BACKOFF = "coxswain.dev/reset-backoff";

  /** The common prefix. */
  private static final String PREFIX = "coxswain.dev/re";

  private static final String ANNOTATIONS = "annotations";
  private static final Set<String> READ = Set.of(ANNOTATIONS);

  private RequestAnnotations() {}

  /**
   * The requested actions.
   *
   * @param reconcile whether to reconcile now
   * @param forget whether to forget the failures
   */
  record RequestedActions(boolean reconcile, boolean forget) {
    static final RequestedActions NONE = new RequestedActions(false, false);

    boolean isNone() {
      return !reconcile && !forget;
    }
  }

  /**
   * Returns the actions an event requests. Few objects have such annotations, so the prefix is
   * checked first.
   */
  static <T extends KubernetesObject> RequestedActions in(ObjectEvent<T> event) {
    if (event.kind() != Kind.UPDATED || !event.mentions(PREFIX)) {
      return RequestedActions.NONE;
    }
    JsonObject then = annotations(event.metadataBefore(READ).orElseThrow());
    JsonObject now = annotations(event.metadata(READ));
    return new RequestedActions(
        isNew(RECONCILE_REQUESTED_AT, then, now), isNew(RESET_BACKOFF, then, now));
  }

  private static boolean isNew(String name, JsonObject then, JsonObject now) {
    JsonElement value = now.get(name);
    return value != null && !value.equals(then.get(name));
  }

  private static JsonObject annotations(JsonObject metadata) {
    return metadata.get(ANNOTATIONS) instanceof JsonObject annotations
        ? annotations
        : new JsonObject();
  }
}
