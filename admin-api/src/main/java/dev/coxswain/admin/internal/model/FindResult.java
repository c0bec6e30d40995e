// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import org.jspecify.annotations.Nullable;

/**
 * Whether a change concerns a replica; between replicas.
 *
 * @param owner the controller as a replica observes it that does not run it
 */
public record FindResult(String kind, boolean concerned, @Nullable ControllerResource owner) {

  /** Creates the answer of a replica. */
  public FindResult(boolean concerned, @Nullable ControllerResource owner) {
    this("Here", concerned, owner);
  }
}
