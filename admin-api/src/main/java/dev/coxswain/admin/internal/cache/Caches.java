// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cache;

import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.spi.ControllerDirectory;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.List;

/** The caches, of this replica and of all. Confined to the admin event loop. */
public final class Caches {

  private static final Comparator<CacheResource> ORDER =
      Comparator.comparing(CacheResource::name).thenComparing(CacheResource::replica);

  private final ControllerDirectory directory;
  private final Cluster cluster;

  public Caches(ControllerDirectory directory, Cluster cluster) {
    this.directory = directory;
    this.cluster = cluster;
  }

  /** Returns those of this replica. */
  public Future<Response> list(RequestContext context) {
    context.query().done();
    String replica = directory.replica();
    return Future.succeededFuture(
        Response.ok(
            CacheList.of(
                replica,
                directory.caches().stream()
                    .map(cache -> CacheResource.of(cache, replica))
                    .sorted(ORDER)
                    .toList())));
  }

  /** Returns those of all replicas. */
  public Future<Response> listAll(RequestContext context) {
    return cluster
        .getAll(context, ClusterScope.take(context), this::list, CacheList.class)
        .map(answers -> Response.ok(Cluster.marked(merged(answers), cluster.self(), answers)));
  }

  private CacheList merged(List<PeerAnswer> answers) {
    return CacheList.of(
        cluster.self(),
        Cluster.found(answers).stream()
            .flatMap(answer -> answer.as(CacheList.class).items().stream())
            .sorted(ORDER)
            .toList());
  }
}
