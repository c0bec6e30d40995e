// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;

/**
 * Decides on a write and never blocks.
 *
 * <p>Thread rule: called on an event loop.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface AsyncAdmissionHandler<T extends KubernetesObject> {

  /**
   * Decides on a write. It must not write anything itself when {@link AdmissionRequest#dryRun} is
   * set.
   *
   * @return the decision; a failed future, or an exception, denies the write with status 500
   */
  Future<AdmissionResponse<T>> handle(AdmissionRequest<T> request);
}
