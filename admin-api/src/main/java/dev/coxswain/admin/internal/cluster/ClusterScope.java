// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.history.StoredHistory;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Json;
import io.vertx.core.Future;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The replicas that a request addresses.
 *
 * @param local whether only the replica that received it
 * @param replica the only replica, or null
 */
public record ClusterScope(boolean local, @Nullable String replica) {

  /** All replicas. */
  public static final ClusterScope ALL = new ClusterScope(false, null);

  private static final String SCOPE = "scope";
  private static final String REPLICA = "replica";
  private static final Set<String> SCOPES = Set.of("local", "cluster");
  private static final int MAX_NAME = 253;

  /** Reads the scope, and removes its parameters from the query. */
  public static ClusterScope take(RequestContext context) {
    Query query = context.query();
    String scope = query.text(SCOPE, 20);
    String replica = query.text(REPLICA, MAX_NAME);
    if (scope != null && !SCOPES.contains(scope)) {
      query.fault(SCOPE, "must be local or cluster, found \"" + Json.line(scope, 20) + "\"");
    }
    query.check();
    context.rewrite(Query.without(context.rawQuery(), Set.of(SCOPE, REPLICA)));
    return new ClusterScope("local".equals(scope), replica);
  }

  /** Reads what is stored; nothing for a request that is limited to some replica. */
  public Future<StoredHistory> stored(History history) {
    return equals(ALL) ? history.read() : Future.succeededFuture(StoredHistory.NONE);
  }

  /** Returns whether a request names a scope or a replica. */
  static boolean isGiven(RequestContext context) {
    Query query = context.query();
    return query.text(SCOPE, 20) != null || query.text(REPLICA, MAX_NAME) != null;
  }

  /** Returns whether a replica may be addressed by name. */
  public boolean covers(String name) {
    return replica == null || replica.equals(name);
  }
}
