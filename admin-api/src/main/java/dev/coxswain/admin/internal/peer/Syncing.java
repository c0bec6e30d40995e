// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import dev.coxswain.admin.internal.value.SyncingValue;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ControllerStatus.State;
import org.jspecify.annotations.Nullable;

/**
 * The mark of responses of controllers that have not received all objects of their sources. Such a
 * response is partial: a missing item may appear later. Any thread.
 */
public final class Syncing {

  /** The reason why such a response is partial. */
  public static final String WHY = SyncingValue.WHY;

  private Syncing() {}

  /**
   * Returns whether a controller is syncing, also after its time limit. To be read before its items: a complete response may
   * then be marked partial, and never the reverse.
   */
  public static boolean is(ControllerHandle handle) {
    State state = handle.status().state();
    return state == State.SYNCING || state == State.NOT_SYNCED;
  }

  /** Returns why the result of a replica is incomplete; null when it is complete. */
  static @Nullable String why(Object body) {
    return body instanceof SyncingValue value ? value.syncing() : null;
  }
}
