// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import java.io.Serial;

/**
 * Thrown when the data of the ConfigMap are not a slot map of a supported format and function. The
 * message names the key, the line and what was expected. A replica that cannot read the map owns no
 * slots.
 */
public final class SlotMapException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  SlotMapException(String message) {
    super(message);
  }
}
