// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import dev.coxswain.k8s.resource.ResourceType;

/**
 * Receives which resources a controller selects and accesses; see {@link KubernetesRuntime#observedBy}.
 *
 * <p>Thread rule: called on the thread of the call that it reports; must not block.
 */
public interface AccessObserver {

  /** Does nothing. */
  AccessObserver NONE =
      new AccessObserver() {
        @Override
        public void selected(ResourceType<?> type) {}

        @Override
        public void accessed(ResourceType<?> type) {}
      };

  /** A resource is to be listed and watched, by {@link Kubernetes#kind}. */
  void selected(ResourceType<?> type);

  /** A resource is to be read or written, by {@link Kubernetes#resource}. */
  void accessed(ResourceType<?> type);
}
