// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import io.vertx.core.Future;

/**
 * Decides whether a principal has a right.
 *
 * <p>Thread rule: called on an event loop, must not block; the future may complete on any thread.
 */
@FunctionalInterface
public interface Authorizer {

  /**
   * Decides about one request.
   *
   * @return whether the principal has the right; a failure means that there is no decision now, and
   *     refuses the request
   */
  Future<Boolean> authorize(Principal principal, AccessRequest wanted);
}
