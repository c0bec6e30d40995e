// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Authentication and authorization of the callers of the admin API.
 *
 * <p>Thread rule: immutable.
 *
 * @param mode its name in the configuration and in the discovery
 * @param hint how to get a token, one sentence for people; sent to callers without one
 * @param ports the authenticator and the authorizer, or null when every caller has all rights up to
 *     the ceiling
 * @param limits the limits of reviews and the lifetimes of cached decisions, or null for no limits
 *     and no cache
 * @param ceiling the most that any caller may do
 */
public record AccessControl(
    String mode,
    String hint,
    @Nullable Ports ports,
    @Nullable ReviewLimits limits,
    AccessLevel ceiling) {

  /**
   * The ports that decide.
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

  /** No authentication. Allowed only for an API that listens on loopback. */
  public static AccessControl open() {
    return new AccessControl("none", "", null, null, AccessLevel.FULL);
  }

  /** Uses ports that decide at once from memory: for every request, without limits or cache. */
  public static AccessControl local(String mode, String hint, Ports ports) {
    return new AccessControl(mode, hint, ports, null, AccessLevel.FULL);
  }

  /** Uses ports that send requests to another system: within limits, with cached decisions. */
  public static AccessControl reviewed(String mode, String hint, Ports ports, ReviewLimits limits) {
    return new AccessControl(mode, hint, ports, limits, AccessLevel.FULL);
  }

  /** Returns a copy with another ceiling. */
  public AccessControl withCeiling(AccessLevel value) {
    return new AccessControl(mode, hint, ports, limits, value);
  }

  /** Returns whether callers are not authenticated. */
  public boolean isOpen() {
    return ports == null;
  }
}
