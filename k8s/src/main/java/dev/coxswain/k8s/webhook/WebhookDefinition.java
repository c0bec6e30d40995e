// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import dev.coxswain.controller.ControllerEnvironment;

/**
 * Declares webhooks; implemented by a {@link dev.coxswain.controller.ControllerDefinition} that has
 * some.
 *
 * <pre>{@code
 * public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
 *   webhooks
 *       .mutating(Demo.class, request -> AdmissionResponse.patched(withDefaults(request.object())))
 *       .validating(Demo.class, request -> AdmissionResponse.allowed());
 * }
 * }</pre>
 *
 * <p>Every replica serves the webhooks, whatever it owns, and before any controller has started.
 *
 * <p>Thread rule: called by the host once, on a virtual thread, where it may block.
 */
@FunctionalInterface
public interface WebhookDefinition {

  /**
   * Declares the webhooks.
   *
   * @param webhooks receives them; not used after this method
   * @param environment what the host provides; its access to Kubernetes is for reading
   * @throws Exception when they cannot be built; the host does not start
   */
  void webhooks(Webhooks webhooks, ControllerEnvironment environment) throws Exception;
}
