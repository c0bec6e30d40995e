// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonObject;
import dev.coxswain.reconcile.Request;

/**
 * Hears what the server has answered to writes.
 *
 * <p>Thread rule: called on the thread that wrote, before it goes on; must not block or throw. The
 * trees must not be changed.
 */
public interface WriteObserver {

  /** Hears nothing. */
  WriteObserver NONE =
      new WriteObserver() {
        @Override
        public void written(ResourceType<?> type, Request key, JsonObject stored) {}

        @Override
        public void deleted(ResourceType<?> type, Request key, JsonObject answer) {}
      };

  /**
   * An object has been created or changed.
   *
   * @param stored the object as stored; when the change took its last finalizer off, it is gone
   */
  void written(ResourceType<?> type, Request key, JsonObject stored);

  /**
   * An object has been deleted, or its deletion has begun.
   *
   * @param answer the object, or a Status that names its uid
   */
  void deleted(ResourceType<?> type, Request key, JsonObject answer);
}
