// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Decides on a write, in plain blocking Java.
 *
 * <p>Thread rule: called on a virtual thread for each write, many at once; interrupted at its time
 * limit.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface AdmissionHandler<T extends KubernetesObject> {

  /**
   * Decides on a write. It must not write anything itself when {@link AdmissionRequest#dryRun} is
   * set.
   *
   * @throws Exception the write is denied with status 500 and the message
   */
  AdmissionResponse<T> handle(AdmissionRequest<T> request) throws Exception;
}
