// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.time.Duration;

/**
 * What an {@link Authenticator} found out about a token.
 *
 * <p>Thread rule: immutable.
 */
public sealed interface Authentication {

  /**
   * The token stands for somebody.
   *
   * @param principal for whom
   * @param lifetime how much longer the token is good at most; zero or less when it must be looked
   *     at every time
   */
  record Accepted(Principal principal, Duration lifetime) implements Authentication {}

  /** The token stands for nobody. */
  record Rejected() implements Authentication {}

  /** The token stands for somebody, as far as is known for ever. */
  static Authentication accepted(Principal principal) {
    return new Accepted(principal, Duration.ofDays(365));
  }

  /** The token stands for somebody, and expires. */
  static Authentication accepted(Principal principal, Duration lifetime) {
    return new Accepted(principal, lifetime);
  }

  /** The token stands for nobody. */
  static Authentication rejected() {
    return new Rejected();
  }
}
