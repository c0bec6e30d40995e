// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import io.vertx.core.Future;

/**
 * Decides who may do what.
 *
 * <p>Thread rule: called on an event loop, must not block; the future may complete on any thread.
 */
@FunctionalInterface
public interface Authorizer {

  /**
   * Decides about one request.
   *
   * @return whether it may be done; a failure means that nobody can tell now, and allows nothing
   */
  Future<Boolean> authorize(Principal principal, AccessRequest wanted);
}
