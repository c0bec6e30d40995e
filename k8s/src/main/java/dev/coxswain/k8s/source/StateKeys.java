// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.function.Consumer;

/** The requests of an object as it is received, and as its handler receives it. */
interface StateKeys extends ObjectKeys {

  /** Passes the requests of a decoded object to {@code requests}. */
  void of(KubernetesObject object, Consumer<Request> requests);
}
