// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonObject;
import dev.coxswain.reconcile.Request;

/**
 * A receiver of the server's responses to writes.
 *
 * <p>Thread rule: called on the thread of the write, before it returns; must not block or throw.
 * The trees must not be changed.
 */
public interface WriteObserver {

  /** An observer that does nothing. */
  WriteObserver NONE =
      new WriteObserver() {
        @Override
        public void written(ResourceType<?> type, Request key, JsonObject stored) {}

        @Override
        public void deleted(ResourceType<?> type, Request key, JsonObject response) {}
      };

  /**
   * An object has been created or changed.
   *
   * @param stored the object as stored; when the change removed its last finalizer, it is gone
   */
  void written(ResourceType<?> type, Request key, JsonObject stored);

  /**
   * An object has been deleted, or its deletion has begun.
   *
   * @param response the object, or a Status with its uid
   */
  void deleted(ResourceType<?> type, Request key, JsonObject response);
}
