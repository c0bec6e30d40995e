// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static dev.coxswain.admin.internal.cluster.ClusterWrites.orFind;
import static dev.coxswain.admin.internal.http.Access.CONTROLLERS;
import static dev.coxswain.admin.internal.http.Access.ITEMS;
import static dev.coxswain.admin.internal.http.Access.to;
import static dev.coxswain.admin.internal.http.ApiPaths.CAUSE;
import static dev.coxswain.admin.internal.http.ApiPaths.CONTROLLER;
import static dev.coxswain.admin.internal.http.ApiPaths.DRAIN;
import static dev.coxswain.admin.internal.http.ApiPaths.ITEM;
import static dev.coxswain.admin.internal.http.ApiPaths.LIMITER;
import static dev.coxswain.admin.internal.http.ApiPaths.OPERATION;
import static dev.coxswain.admin.internal.http.ApiPaths.PLUGIN;
import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.cache.Caches;
import dev.coxswain.admin.internal.cause.Causes;
import dev.coxswain.admin.internal.cluster.ClusterReplicas;
import dev.coxswain.admin.internal.cluster.ClusterSlots;
import dev.coxswain.admin.internal.cluster.OperationNotes;
import dev.coxswain.admin.internal.configuration.ClusterConfiguration;
import dev.coxswain.admin.internal.event.EventFeed;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.Access.Scope;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.object.ObjectExplainer;
import dev.coxswain.admin.internal.operation.Operations;
import dev.coxswain.admin.internal.pause.Pauses;
import dev.coxswain.admin.internal.plugin.Plugins;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.admin.internal.resource.Items;
import dev.coxswain.admin.internal.resource.Limiters;
import dev.coxswain.admin.internal.resource.Statistics;
import dev.coxswain.admin.internal.slot.ReplicaDrain;
import dev.coxswain.admin.internal.timeline.ClusterTimeline;
import dev.coxswain.admin.spi.PluginDirectory.Action;
import java.util.List;

/** The routes for other replicas, below {@link ApiPaths#PEER_ROOT}. */
final class PeerRoutes {

  private PeerRoutes() {}

  /** Returns the routes. They require the same rights as the routes for clients. */
  static List<Endpoint> of(
      Controllers controllers,
      Pauses pauses,
      Items items,
      Causes causes,
      ObjectExplainer objects,
      Operations operations,
      OperationNotes notes,
      ClusterReplicas replicas,
      ClusterSlots slots,
      ReplicaDrain drain,
      Statistics statistics,
      Audits audits,
      ClusterTimeline timelines,
      Limiters limiters,
      Plugins plugins,
      Caches caches,
      ClusterConfiguration configuration,
      EventFeed events) {
    Endpoint.FindingHandler scale = orFind(controllers::get, controllers::scale);
    Endpoint.FindingHandler override = orFind(limiters::get, limiters::override);
    List<Endpoint> all =
        List.of(
            Endpoint.read("/controllers", to(Verb.LIST, CONTROLLERS), controllers::list),
            Endpoint.read(CONTROLLER, to(Verb.GET, CONTROLLERS), controllers::get),
            Endpoint.conditional(PATCH, CONTROLLER, to(Verb.TUNE, CONTROLLERS), scale),
            Endpoint.conditional(PUT, CONTROLLER + "/scale", to(Verb.TUNE, CONTROLLERS), scale),
            Endpoint.conditional(
                POST,
                CONTROLLER + "/pause",
                to(Verb.PAUSE, CONTROLLERS),
                orFind(pauses::find, pauses::pause)),
            Endpoint.conditional(
                POST,
                CONTROLLER + "/resume",
                to(Verb.RESUME, CONTROLLERS),
                orFind(controllers::get, pauses::resume)),
            Endpoint.change(
                POST,
                CONTROLLER + "/operations",
                Access.toOperate(),
                orFind(controllers::get, operations::part)),
            Endpoint.change(
                POST,
                CONTROLLER + "/operations/notes",
                Access.toOperate(),
                (Endpoint.FindingHandler) notes::receive),
            Endpoint.read("/causes", to(Verb.LIST, ITEMS), causes::listAll),
            Endpoint.read(CONTROLLER + "/causes", to(Verb.LIST, ITEMS), causes::list),
            Endpoint.read(CAUSE, to(Verb.LIST, ITEMS), causes::get),
            Endpoint.read("/objects", to(Verb.GET, ITEMS, Scope.EACH), objects::explain),
            Endpoint.read(CONTROLLER + "/items", to(Verb.LIST, ITEMS, Scope.QUERY), items::list),
            Endpoint.change(
                POST,
                CONTROLLER + "/items",
                to(Verb.ENQUEUE, ITEMS, Scope.BODY),
                orFind(items::addable, items::add)),
            Endpoint.read(ITEM, to(Verb.GET, ITEMS, Scope.ITEM), items::get),
            Endpoint.conditional(
                DELETE, ITEM, to(Verb.DROP, ITEMS, Scope.ITEM), orFind(items::get, items::drop)),
            Endpoint.read(ITEM + "/explain", to(Verb.GET, ITEMS, Scope.ITEM), items::explain),
            ofItem(ITEM + "/retry", Verb.RETRY, items::get, items::retry),
            ofItem(ITEM + "/forget", Verb.FORGET, items::get, items::forget),
            ofItem(ITEM + "/requeue", Verb.REQUEUE, items::get, items::requeue),
            Endpoint.read(
                "/operations", to(Verb.LIST, Access.OPERATIONS, Scope.QUERY), operations::list),
            Endpoint.read(
                OPERATION, to(Verb.GET, Access.OPERATIONS, Scope.OPERATION), operations::get),
            Endpoint.change(
                DELETE,
                OPERATION,
                to(Verb.STOP, Access.OPERATIONS, Scope.OPERATION),
                orFind(operations::get, operations::stop)),
            Endpoint.read(CONTROLLER + "/stats", to(Verb.GET, CONTROLLERS), statistics::get),
            Endpoint.read("/stats", to(Verb.LIST, CONTROLLERS), statistics::getAll),
            Endpoint.read("/audit", to(Verb.LIST, Access.AUDIT), audits::list),
            Endpoint.read("/timeline", to(Verb.LIST, Access.AUDIT), timelines::listOwn),
            Endpoint.read("/caches", to(Verb.LIST, Access.REPLICAS), caches::list),
            Endpoint.read("/limiters", to(Verb.LIST, Access.LIMITERS), limiters::list),
            Endpoint.read(LIMITER, to(Verb.GET, Access.LIMITERS), limiters::get),
            Endpoint.change(PATCH, LIMITER, to(Verb.TUNE, Access.LIMITERS), override),
            Endpoint.change(PUT, LIMITER + "/override", to(Verb.TUNE, Access.LIMITERS), override),
            Endpoint.change(
                DELETE,
                LIMITER + "/override",
                to(Verb.TUNE, Access.LIMITERS),
                orFind(limiters::get, limiters::clear)),
            Endpoint.change(POST, DRAIN, to(Verb.DRAIN, Access.REPLICAS), drain::begin),
            Endpoint.change(DELETE, DRAIN, to(Verb.DRAIN, Access.REPLICAS), drain::end),
            Endpoint.read("/plugins", to(Verb.LIST, Access.PLUGINS), plugins::list),
            Endpoint.read(PLUGIN, to(Verb.GET, Access.PLUGINS), plugins::get),
            ofPlugin(PLUGIN + "/deploy", Verb.DEPLOY, plugins, Action.DEPLOY),
            ofPlugin(PLUGIN + "/stop", Verb.STOP, plugins, Action.STOP),
            ofPlugin(PLUGIN + "/redeploy", Verb.REDEPLOY, plugins, Action.REDEPLOY),
            Endpoint.read("/config", to(Verb.LIST, Access.CONFIGURATION), configuration::own),
            Endpoint.read("/slots", to(Verb.LIST, Access.SLOTS), slots::own),
            Endpoint.read("/replica", to(Verb.LIST, Access.REPLICAS), replicas::replica),
            Endpoint.read("/events", Access.toEvents(), events::get)
                .producing("text/event-stream"));
    return all.stream().map(endpoint -> endpoint.under(ApiPaths.PEER_ROOT)).toList();
  }

  private static Endpoint ofItem(
      String path, Verb verb, Endpoint.Handler find, Endpoint.Handler act) {
    return Endpoint.conditional(POST, path, to(verb, ITEMS, Scope.ITEM), orFind(find, act));
  }

  private static Endpoint ofPlugin(String path, Verb verb, Plugins plugins, Action action) {
    return Endpoint.change(
        POST, path, to(verb, Access.PLUGINS), orFind(plugins::get, plugins.begin(action)));
  }
}
