// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import io.vertx.core.Future;

/**
 * Finds out who a bearer token stands for.
 *
 * <p>Thread rule: called on an event loop, must not block; the future may complete on any thread.
 */
@FunctionalInterface
public interface Authenticator {

  /**
   * Looks at a token.
   *
   * @param token as it was sent; must not be logged or kept
   * @return who it stands for; a failure means that nobody can tell now, and never lets anybody in
   */
  Future<Authentication> authenticate(String token);
}
