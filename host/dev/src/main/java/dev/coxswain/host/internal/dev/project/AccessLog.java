// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import dev.coxswain.apiserver.EmbeddedApiServer.AccessDecision;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What an account was allowed and forbidden. It grows with the kinds of requests, not with their number.
 *
 * <p>Thread rule: any thread.
 */
final class AccessLog {

  /**
   * A kind of requests, without the names of objects.
   *
   * @param verb the verb
   * @param group the API group
   * @param resource the plural with the subresource, or a path that begins with {@code /}
   * @param namespace the namespace; empty for all, and for what is in none
   */
  record Request(String verb, String group, String resource, String namespace) {
    private static Request of(AccessDecision decision) {
      return new Request(
          decision.verb(), decision.group(), decision.resource(), decision.namespace());
    }

    /** Returns the request as a reader of a report wants it. */
    String describe() {
      return "%s %s %s"
          .formatted(
              verb,
              group.isEmpty() ? resource : resource + "." + group,
              namespace.isEmpty() ? "in the whole cluster" : "in the namespace " + namespace);
    }
  }

  private final String user;
  private final String role;
  private final Set<Request> used = new LinkedHashSet<>();
  private final Set<Request> forbidden = new LinkedHashSet<>();
  private long lastForbidden;

  /**
   * Creates an empty log.
   *
   * @param user the account
   * @param role the role with the rules of the controllers: what another role allows as well is a request of
   *     the host
   */
  AccessLog(String user, String role) {
    this.user = user;
    this.role = role;
  }

  /** Records a decision; those about others are ignored. */
  synchronized void add(AccessDecision decision) {
    if (!decision.user().equals(user)) {
      return;
    }
    if (decision.roles().equals(List.of(role))) {
      used.add(Request.of(decision));
    } else if (!decision.allowed() && forbidden.add(Request.of(decision))) {
      lastForbidden = System.nanoTime();
    }
  }

  /** Returns what only the rules of the controllers allow. */
  synchronized List<Request> used() {
    return List.copyOf(used);
  }

  /** Returns what was forbidden, in the order of the requests. */
  synchronized List<Request> forbidden() {
    return List.copyOf(forbidden);
  }

  /** Returns whether something was forbidden, and nothing else since then for a while. */
  synchronized boolean complete(Duration quiet) {
    return !forbidden.isEmpty() && System.nanoTime() - lastForbidden > quiet.toNanos();
  }
}
