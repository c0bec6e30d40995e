// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

import org.jspecify.annotations.Nullable;

/** A value of a replica whose controllers may not have received all objects of their sources. */
public interface SyncingValue {

  /** The reason why the value of a controller is incomplete. */
  String WHY = "the controller has not received all objects of its sources yet";

  /** The reason why a list of controllers is incomplete. */
  String SOME = "a controller that runs there has not received all objects of its sources yet";

  /** Returns why the value is incomplete; null when it is complete. */
  @Nullable String syncing();
}
