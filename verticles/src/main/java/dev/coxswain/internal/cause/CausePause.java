// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.cause;

import dev.coxswain.view.ControllerStatus.Pause;

/**
 * The pause of one cause.
 *
 * <p>Thread rule: immutable.
 *
 * @param shown the pause, for display
 * @param end when it ends, as a time of the clock; far away for a pause without an end
 */
public record CausePause(Pause shown, long end) {

  /** Returns whether it ends by itself. */
  public boolean hasEnd() {
    return shown.until() != null;
  }
}
