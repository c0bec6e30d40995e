// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * An authenticated caller.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the user name, never empty; the key of rate limits and the actor of audit records
 * @param uid distinguishes users of the same name, or empty
 * @param groups the groups
 * @param extra more that the authorizer may need, such as scopes
 */
public record Principal(
    String name, String uid, List<String> groups, Map<String, List<String>> extra) {

  /** Every caller, without authentication. */
  public static final Principal ANONYMOUS = Principal.of("anonymous");

  public Principal {
    if (Objects.requireNonNull(name, "name").isEmpty()) {
      throw new IllegalArgumentException("a principal must have a name");
    }
    Objects.requireNonNull(uid, "uid");
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }

  /** Returns a principal with a name and groups only. */
  public static Principal of(String name, String... groups) {
    return new Principal(name, "", List.of(groups), Map.of());
  }
}
