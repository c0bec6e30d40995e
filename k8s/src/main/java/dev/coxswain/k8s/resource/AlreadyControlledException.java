// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import io.kubernetes.client.openapi.models.V1OwnerReference;

/**
 * An object cannot get a controlling owner because it has one already; two controllers would fight
 * over it.
 *
 * <p>Thread rule: immutable.
 */
public final class AlreadyControlledException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  private final transient V1OwnerReference controller;

  AlreadyControlledException(String dependant, V1OwnerReference controller) {
    super(
        "\""
            + dependant
            + "\" is controlled by "
            + controller.getKind()
            + " \""
            + controller.getName()
            + "\" already");
    this.controller = controller;
  }

  /** Returns the controlling owner. */
  public V1OwnerReference controller() {
    return controller;
  }
}
