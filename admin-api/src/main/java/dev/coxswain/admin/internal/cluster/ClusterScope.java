// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Json;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which replicas a request is meant for.
 *
 * @param local whether only the one that was asked
 * @param replica only the one of this name, or null
 */
public record ClusterScope(boolean local, @Nullable String replica) {

  /** Everybody. */
  public static final ClusterScope ALL = new ClusterScope(false, null);

  /** Nobody by name: whoever else is asked is chosen otherwise. */
  static final ClusterScope OTHERS = new ClusterScope(false, "");

  private static final String SCOPE = "scope";
  private static final String REPLICA = "replica";
  private static final Set<String> SCOPES = Set.of("local", "cluster");
  private static final int MAX_NAME = 253;

  /** Takes the parameters that say so out of a request; the rest is for the route itself. */
  public static ClusterScope take(RequestContext context) {
    Query query = context.query();
    String scope = query.text(SCOPE, 20);
    String replica = query.text(REPLICA, MAX_NAME);
    if (scope != null && !SCOPES.contains(scope)) {
      query.fault(SCOPE, "must be local or cluster, found \"" + Json.line(scope, 20) + "\"");
    }
    boolean local = "local".equals(scope);
    query.check();
    context.rewrite(Query.without(context.rawQuery(), Set.of(SCOPE, REPLICA)));
    return new ClusterScope(local, replica);
  }

  /** Returns whether a replica is meant. */
  public boolean covers(String name) {
    return replica == null || replica.equals(name);
  }
}
