// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import io.vertx.core.Future;

/**
 * Decides which principal has a bearer token.
 *
 * <p>Thread rule: called on an event loop, must not block; the future may complete on any thread.
 */
@FunctionalInterface
public interface Authenticator {

  /**
   * Authenticates a token.
   *
   * @param token as it was sent; must not be logged or kept
   * @return the decision; a failure means that there is no decision now, and refuses the request
   */
  Future<Authentication> authenticate(String token);
}
