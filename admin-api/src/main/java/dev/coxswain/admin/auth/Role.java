// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The roles that come with Coxswain; the cluster roles in {@code docs/guides/deploying.md} give the
 * same.
 *
 * <p>Thread rule: immutable.
 */
public enum Role {
  /** Looks at everything. */
  VIEWER,
  /** Steers the queues; what it flushes is added again. */
  OPERATOR,
  /** Does everything. */
  ADMIN;

  /** Returns the verbs that this role gives, on every resource. */
  public Set<Verb> verbs() {
    return switch (this) {
      case VIEWER -> EnumSet.of(Verb.GET, Verb.LIST);
      case OPERATOR -> EnumSet.complementOf(EnumSet.of(Verb.DROP, Verb.FLUSHHARD, Verb.UPDATE));
      case ADMIN -> EnumSet.allOf(Verb.class);
    };
  }

  /** Returns the word that the token file uses. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the role of a word, or empty. */
  public static Optional<Role> of(String label) {
    return Arrays.stream(values()).filter(role -> role.label().equals(label)).findFirst();
  }

  /**
   * Returns the right that this role gives.
   *
   * @param namespaces in which namespaces, {@link Rule#ALL} for all
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
