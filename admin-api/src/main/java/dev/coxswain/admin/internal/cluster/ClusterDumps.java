// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.ItemList;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.PeerStreams;
import dev.coxswain.admin.internal.peer.Syncing;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.admin.internal.resource.DumpPart;
import dev.coxswain.admin.internal.resource.Dumps;
import dev.coxswain.admin.internal.resource.ItemView;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ItemFilter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Dumps of the items of all replicas that run a controller. Confined to the admin event loop.
 *
 * <p>The first request to all replicas reads one item: it finds the replicas of the dump, and an
 * invalid request is still answered with a problem. Then the replicas are dumped one after another.
 */
public final class ClusterDumps {

  private final Vertx vertx;
  private final Cluster cluster;
  private final PeerStreams streams;
  private final Controllers controllers;
  private final Dumps dumps;
  private final long silenceMillis;

  /**
   * Creates the handler.
   *
   * @param pageTimeout the time limit of a replica for one page of its own
   */
  public ClusterDumps(
      Vertx vertx,
      Cluster cluster,
      PeerStreams streams,
      Controllers controllers,
      Dumps dumps,
      Duration pageTimeout) {
    this.vertx = vertx;
    this.cluster = cluster;
    this.streams = streams;
    this.controllers = controllers;
    this.dumps = dumps;
    this.silenceMillis =
        2 * pageTimeout.toMillis(); // so that the replica reports its timeout first
  }

  /** Returns a handler of dumps that leaves requests for other media types to another one. */
  public Endpoint.Handler or(Endpoint.Handler list) {
    return context -> context.accepted().equals(Dumps.TYPE) ? begin(context) : list.handle(context);
  }

  private Future<Response> begin(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    boolean alone = cluster.others(scope).isEmpty();
    String query = context.rawQuery();
    Query read = context.query();
    ItemFilter filter = ItemFilters.of(read);
    Set<String> fields = read.some("fields", ItemView.FIELDS);
    read.done();
    if (alone) {
      return dumps.begin(context, running(context, filter), filter, fields);
    }
    dumps.admit(context);
    List<DumpPart> own = new ArrayList<>(1);
    Endpoint.Handler here =
        request -> {
          ControllerHandle handle = running(request, filter);
          own.add(dumps.part(handle, filter, fields, Syncing.is(handle), null));
          return Future.succeededFuture(Response.ok(Json.object()));
        };
    String first = query.isEmpty() ? "limit=1" : query + "&limit=1";
    return cluster
        .getAll(context, scope, here, context.below(), first, ItemList.class)
        .map(answers -> {
          List<DumpPart> parts = new ArrayList<>(own);
          Cluster.found(answers).stream()
              .map(PeerAnswer::replica)
              .filter(replica -> !replica.equals(cluster.self()))
              .forEach(replica -> parts.add(relay(context, replica, query)));
          return dumps.reply(
              context.param("c"), parts, answers.stream().filter(answer -> !answer.ok()).toList());
        });
  }

  private ControllerHandle running(RequestContext context, ItemFilter filter) {
    ControllerHandle handle = controllers.running(context);
    ItemFilters.checkParameter(handle, filter);
    return handle;
  }

  private DumpPart relay(RequestContext context, String replica, String query) {
    String path = ApiPaths.PEER_ROOT + Cluster.address(context.below(), query);
    return new DumpRelay(
        vertx,
        replica,
        () ->
            cluster
                .other(replica)
                .map(peer ->
                    streams.open(peer, path, Cluster.headers(context, Dumps.TYPE), silenceMillis))
                .orElseGet(() ->
                    Future.succeededFuture(new PeerStreams.Opened(PeerAnswer.left(replica), null))),
        silenceMillis);
  }
}
