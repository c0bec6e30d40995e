// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the admin API finds out who calls and what they may do.
 *
 * <p>Thread rule: immutable.
 *
 * @param mode its name in the configuration and in the discovery
 * @param hint how to get a token, one sentence for people; shown to who has none
 * @param ports whom to ask, or null when everybody may do everything up to the ceiling
 * @param limits how often to ask and how long to remember, or null to ask every time without limits
 * @param ceiling the most that anybody may do
 */
public record AccessControl(
    String mode,
    String hint,
    @Nullable Ports ports,
    @Nullable ReviewLimits limits,
    AccessLevel ceiling) {

  /**
   * Whom to ask.
   *
   * <p>Thread rule: immutable.
   */
  public record Ports(Authenticator authenticator, Authorizer authorizer) {
    public Ports {
      Objects.requireNonNull(authenticator, "authenticator");
      Objects.requireNonNull(authorizer, "authorizer");
    }
  }

  public AccessControl {
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(hint, "hint");
    Objects.requireNonNull(ceiling, "ceiling");
  }

  /** Nobody is asked who they are. Only an API that listens on loopback takes this. */
  public static AccessControl open() {
    return new AccessControl("none", "", null, null, AccessLevel.FULL);
  }

  /** Asks ports that answer at once from memory: every request anew, without limits. */
  public static AccessControl local(String mode, String hint, Ports ports) {
    return new AccessControl(mode, hint, ports, null, AccessLevel.FULL);
  }

  /** Asks ports that ask somebody else: within limits, and remembering the answers. */
  public static AccessControl reviewed(String mode, String hint, Ports ports, ReviewLimits limits) {
    return new AccessControl(mode, hint, ports, limits, AccessLevel.FULL);
  }

  /** Returns the same with another ceiling. */
  public AccessControl withCeiling(AccessLevel value) {
    return new AccessControl(mode, hint, ports, limits, value);
  }

  /** Returns whether nobody is asked who they are. */
  public boolean isOpen() {
    return ports == null;
  }
}
