// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The predefined roles; the cluster roles in {@code docs/guides/deploying.md} have the same rights.
 *
 * <p>Thread rule: immutable.
 */
public enum Role {
  /** Reads everything. */
  VIEWER,
  /** Changes the queues and their pace; flushed items are added again, no limiter is raised. */
  OPERATOR,
  /** All rights. */
  ADMIN;

  /** Returns the verbs of this role, on every resource. */
  public Set<Verb> verbs() {
    return switch (this) {
      case VIEWER -> EnumSet.of(Verb.GET, Verb.LIST);
      case OPERATOR -> EnumSet.complementOf(EnumSet.of(Verb.DROP, Verb.FLUSHHARD, Verb.UPDATE));
      case ADMIN -> EnumSet.allOf(Verb.class);
    };
  }

  /** Returns the name in the token file. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the role with a name, or empty. */
  public static Optional<Role> of(String label) {
    return Arrays.stream(values()).filter(role -> role.label().equals(label)).findFirst();
  }

  /**
   * Returns the rule of this role.
   *
   * @param namespaces the namespaces, {@link Rule#ALL} for all
   */
  public Rule in(Set<String> namespaces) {
    return new Rule(
        Set.of(Rule.ALL),
        this == ADMIN
            ? Set.of(Rule.ALL)
            : verbs().stream().map(Verb::label).collect(Collectors.toUnmodifiableSet()),
        namespaces,
        Set.of(Rule.ALL));
  }
}
