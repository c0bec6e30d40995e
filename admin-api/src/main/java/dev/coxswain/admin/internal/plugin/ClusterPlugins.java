// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.plugin;

import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.cluster.ClusterWrites;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.model.ChangeResource;
import dev.coxswain.admin.internal.model.PluginResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.spi.PluginDirectory.Action;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The plug-ins of all replicas. Each replica loads its own folder, so a plug-in is listed for each of
 * them. Confined to the admin event loop.
 */
public final class ClusterPlugins {

  private final Cluster cluster;
  private final Plugins local;

  public ClusterPlugins(Cluster cluster, Plugins local) {
    this.cluster = cluster;
    this.local = local;
  }

  public Future<Response> list(RequestContext context) {
    return cluster
        .getAll(context, ClusterScope.take(context), local::list, PluginList.class)
        .map(answers -> Response.ok(list(answers)));
  }

  /** Returns a plug-in of the first replica that has it, with those of the others as copies. */
  public Future<Response> get(RequestContext context) {
    return cluster
        .getAll(context, ClusterScope.take(context), local::get, PluginResource.class)
        .map(answers -> {
          List<PluginResource> found =
              sorted(answers).map(answer -> answer.as(PluginResource.class)).toList();
          return Response.ok(
              Cluster.marked(
                  found.getFirst().and(found.subList(1, found.size())), cluster.self(), answers));
        });
  }

  private static Stream<PeerAnswer> sorted(List<PeerAnswer> answers) {
    return Cluster.found(answers).stream().sorted(Comparator.comparing(PeerAnswer::replica));
  }

  /** Returns the handler of an action on every replica that has the plug-in. */
  public Endpoint.Handler begin(ClusterWrites writes, Action action) {
    Endpoint.Handler change =
        writes.everywhere(ChangeResource.class, local::get, local.begin(action));
    return context -> {
      // Recorded here, too, when only other replicas make the change.
      context.audit().action(Audits.actionName(action));
      context.audit().change(Plugins.noted(context));
      return change.handle(context);
    };
  }

  private MergedValue list(List<PeerAnswer> answers) {
    List<PluginResource> items = new ArrayList<>();
    List<PluginList.Folder> folders = new ArrayList<>();
    sorted(answers)
        .forEach(answer -> {
          PluginList list = answer.as(PluginList.class);
          String problem = list.problem();
          folders.add(
              new PluginList.Folder(
                  answer.replica(),
                  Boolean.TRUE.equals(list.enabled()),
                  problem == null ? "" : problem));
          items.addAll(list.items());
        });
    // The sort is stable: the replicas of each plug-in keep their order.
    items.sort(Comparator.comparing(PluginResource::name));
    return Cluster.marked(PluginList.merged(folders, items), cluster.self(), answers);
  }
}
