// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.host.internal.config.reader.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Check that no two listeners have the same port. */
final class Ports {

  /** The wildcard addresses. */
  private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

  private Ports() {}

  private record Listening(String section, String host, int port) {
    boolean collidesWith(Listening other) {
      return port != 0
          && port == other.port
          && (host.equals(other.host)
              || WILDCARDS.contains(host)
              || WILDCARDS.contains(other.host));
    }
  }

  static void check(Section root, CoxswainConfiguration configuration) {
    List<Listening> all = new ArrayList<>();
    add(all, root, "admin", configuration.admin().listener());
    add(all, root, "metrics", configuration.metrics().listener());
    add(all, root, "health", configuration.health());
    add(all, root, "webhooks", configuration.webhooks().listener());
    SharedLimiter shared = configuration.sharedLimiter();
    if (shared.enabled()) {
      add(
          all,
          root,
          "sharedLimiter",
          new CoxswainConfiguration.Listener(configuration.membership().host(), shared.port()));
    }
  }

  private static void add(
      List<Listening> all, Section root, String section, CoxswainConfiguration.Listener listener) {
    Listening added = new Listening(section, listener.host(), listener.port());
    for (Listening other : all) {
      if (added.collidesWith(other)) {
        // The configured one: the other one may be a default.
        boolean here = root.has(section, "port") || !root.has(other.section(), "port");
        root.faultAt(
            "expected a port of its own, found %d, which is %s.port as well"
                .formatted(added.port(), here ? other.section() : section),
            here ? section : other.section(),
            "port");
        return;
      }
    }
    all.add(added);
  }
}
