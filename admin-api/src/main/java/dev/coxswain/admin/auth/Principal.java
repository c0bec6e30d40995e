// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Somebody who has shown who they are.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the user name, never empty; what rate limits count by and the audit shows
 * @param uid what tells two users of the same name apart, or empty
 * @param groups the groups
 * @param extra what else the authenticator knows and the authoriser may need, such as scopes
 */
public record Principal(
    String name, String uid, List<String> groups, Map<String, List<String>> extra) {

  /** Everybody, where nobody is asked who they are. */
  public static final Principal ANONYMOUS = Principal.of("anonymous");

  public Principal {
    if (Objects.requireNonNull(name, "name").isEmpty()) {
      throw new IllegalArgumentException("a principal must have a name");
    }
    Objects.requireNonNull(uid, "uid");
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }

  /** Returns a principal who has nothing but a name and groups. */
  public static Principal of(String name, String... groups) {
    return new Principal(name, "", List.of(groups), Map.of());
  }
}
