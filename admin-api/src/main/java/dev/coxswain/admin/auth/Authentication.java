// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.time.Duration;

/**
 * The decision of an {@link Authenticator} about a token.
 *
 * <p>Thread rule: immutable.
 */
public sealed interface Authentication {

  /**
   * The token is accepted.
   *
   * @param principal its owner
   * @param lifetime how long the token remains valid at most; zero or less if it must be reviewed
   *     for every request
   */
  record Accepted(Principal principal, Duration lifetime) implements Authentication {}

  /** The token is refused. */
  record Rejected() implements Authentication {}

  /** Returns an acceptance without a known expiry. */
  static Authentication accepted(Principal principal) {
    return new Accepted(principal, Duration.ofDays(365));
  }

  /** Returns an acceptance that expires. */
  static Authentication accepted(Principal principal, Duration lifetime) {
    return new Accepted(principal, lifetime);
  }

  /** The token is refused. */
  static Authentication rejected() {
    return new Rejected();
  }
}
