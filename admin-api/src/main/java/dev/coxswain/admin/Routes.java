// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static dev.coxswain.admin.internal.http.Access.CONTROLLERS;
import static dev.coxswain.admin.internal.http.Access.ITEMS;
import static dev.coxswain.admin.internal.http.Access.to;
import static dev.coxswain.admin.internal.http.ApiPaths.CAUSE;
import static dev.coxswain.admin.internal.http.ApiPaths.CHANGE;
import static dev.coxswain.admin.internal.http.ApiPaths.CONTROLLER;
import static dev.coxswain.admin.internal.http.ApiPaths.DRAIN;
import static dev.coxswain.admin.internal.http.ApiPaths.ITEM;
import static dev.coxswain.admin.internal.http.ApiPaths.LIMITER;
import static dev.coxswain.admin.internal.http.ApiPaths.OPERATION;
import static dev.coxswain.admin.internal.http.ApiPaths.PLUGIN;
import static dev.coxswain.admin.internal.http.ApiPaths.ROOT;
import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.access.Rights;
import dev.coxswain.admin.internal.audit.AuditTrail;
import dev.coxswain.admin.internal.cache.Caches;
import dev.coxswain.admin.internal.cause.Causes;
import dev.coxswain.admin.internal.cause.ClusterCauses;
import dev.coxswain.admin.internal.change.ChangeUndo;
import dev.coxswain.admin.internal.change.ClusterChanges;
import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterAudits;
import dev.coxswain.admin.internal.cluster.ClusterItemList;
import dev.coxswain.admin.internal.cluster.ClusterLimiters;
import dev.coxswain.admin.internal.cluster.ClusterOperations;
import dev.coxswain.admin.internal.cluster.ClusterReads;
import dev.coxswain.admin.internal.cluster.ClusterReplicas;
import dev.coxswain.admin.internal.cluster.ClusterSlots;
import dev.coxswain.admin.internal.cluster.ClusterWrites;
import dev.coxswain.admin.internal.cluster.OperationNotes;
import dev.coxswain.admin.internal.cluster.OperationStarter;
import dev.coxswain.admin.internal.configuration.ClusterConfiguration;
import dev.coxswain.admin.internal.dashboard.Dashboard;
import dev.coxswain.admin.internal.event.EventFeed;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.Access.Scope;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.idempotency.Idempotency;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.object.ClusterExplainer;
import dev.coxswain.admin.internal.object.ObjectExplainer;
import dev.coxswain.admin.internal.object.ObjectRights;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.operation.OperationRights;
import dev.coxswain.admin.internal.operation.Operations;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.internal.pause.Pauses;
import dev.coxswain.admin.internal.peer.PeerClient;
import dev.coxswain.admin.internal.peer.PeerStreams;
import dev.coxswain.admin.internal.peer.PeerTrust;
import dev.coxswain.admin.internal.plugin.ClusterPlugins;
import dev.coxswain.admin.internal.plugin.Plugins;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.admin.internal.resource.Discovery;
import dev.coxswain.admin.internal.resource.Items;
import dev.coxswain.admin.internal.resource.Limiters;
import dev.coxswain.admin.internal.resource.Statistics;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.admin.internal.slot.ReplicaDrain;
import dev.coxswain.admin.internal.slot.SlotReset;
import dev.coxswain.admin.internal.timeline.ClusterTimeline;
import dev.coxswain.admin.internal.timeline.Timeline;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.PluginDirectory.Action;
import dev.coxswain.http.internal.ConnectionLimits;
import dev.coxswain.spi.Clock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** The table of routes and their handlers. Confined to the admin event loop. */
final class Routes {

  private final Dispatcher dispatcher;
  private final Operations operations;
  private final List<Endpoint> table;
  private final List<Endpoint> peerTable;
  private final Discovery discovery;
  private final OpenApi openApi;
  private final Rights rights;

  Routes(
      AdminOptions options,
      ControllerDirectory directory,
      AccessHandler access,
      AuditTrail trail,
      ConnectionLimits connections,
      Context context,
      Clock clock,
      Statistics statistics,
      Timeline timeline,
      Intervals pace,
      OperationLog log,
      History history,
      PeerTrust trust,
      Dashboard dashboard,
      JsonWork work,
      Executor slices) {
    this.discovery = new Discovery(directory, access, options.links());
    RequestAdmission admission =
        new RequestAdmission(options, connections, access, trail, dashboard, work, slices);
    Idempotency idempotency = new Idempotency(clock);
    dispatcher =
        new Dispatcher(
            options,
            directory,
            access,
            new OperationRights(access, log, history),
            admission,
            idempotency);
    ControllerCalls calls = new ControllerCalls(context, slices);
    ItemSlots slots = new ItemSlots(directory);
    Controllers controllers = new Controllers(directory, calls, statistics, work, slots);
    ReplicaDrain drain = new ReplicaDrain(directory, slots);
    Items items = new Items(controllers, calls, options.changes(), work, slots);
    operations =
        new Operations(
            controllers, calls, options.changes(), directory.replica(), clock, log, history);
    Audits audits = new Audits(trail, directory.replica());
    Limiters limiters = new Limiters(directory, access);
    PeerClient peers = new PeerClient(context.owner(), trust, work, slices);
    Cluster cluster = new Cluster(directory, peers);
    PeerStreams streams = new PeerStreams(context.owner(), peers);
    EventFeed events =
        new EventFeed(context, pace, directory, log, cluster, streams, access::mayContinue);
    ClusterReads all = new ClusterReads(cluster, slots, work);
    ClusterWrites change = new ClusterWrites(cluster, slots, idempotency);
    OperationStarter orders =
        new OperationStarter(
            cluster,
            change,
            operations,
            log,
            controllers::get,
            options.changes(),
            idempotency,
            history,
            clock);
    ClusterOperations spanning = new ClusterOperations(cluster, change, operations, log, history);
    BooleanSupplier kept = () -> directory.pauses().isPresent();
    ClusterItemList walk = new ClusterItemList(cluster, slots, items::list);
    ClusterAudits allAudits = new ClusterAudits(cluster, audits::list, history);
    ClusterLimiters allLimiters = new ClusterLimiters(cluster, limiters);
    Pauses pauses = new Pauses(directory, controllers, calls, clock);
    Causes causes = new Causes(directory, controllers, calls, work);
    ClusterCauses allCauses = new ClusterCauses(cluster, causes, work);
    ClusterTimeline timelines = new ClusterTimeline(cluster, timeline, causes, history, work);
    ObjectRights objectRights = new ObjectRights(access, directory);
    ObjectExplainer objects = new ObjectExplainer(controllers, items, calls, slots, objectRights);
    ClusterExplainer allObjects = new ClusterExplainer(cluster, objects, objectRights, slots, work);
    ClusterSlots allSlots = new ClusterSlots(cluster, slots, work);
    Plugins plugins = new Plugins(directory);
    ClusterPlugins allPlugins = new ClusterPlugins(cluster, plugins);
    ClusterConfiguration configuration = new ClusterConfiguration(cluster, directory);
    Caches caches = new Caches(directory, cluster);
    ClusterReplicas replicas = new ClusterReplicas(directory, cluster, clock.instant());
    Endpoint.Handler pause = change.followed(pauses::find, pauses::pause, kept);
    Endpoint.Handler resume = change.followed(controllers::get, pauses::resume, kept);
    Endpoint.Handler scale =
        change.everywhere(ControllerResource.class, controllers::get, controllers::scale);
    Endpoint.Handler override = allLimiters.override(change);
    Endpoint.Handler clear = allLimiters.clear(change);
    ClusterChanges allChanges = new ClusterChanges(allAudits, clock, work);
    ChangeUndo undo =
        new ChangeUndo(
            allChanges,
            directory,
            access,
            clock,
            Map.of(
                ChangeUndo.PAUSE, pause,
                ChangeUndo.RESUME, resume,
                ChangeUndo.SCALE, scale,
                Limiters.OVERRIDE, override,
                Limiters.CLEAR, clear));
    table =
        List.of(
            read("", Access.anyCaller(), this::discover),
            read("/openapi.json", Access.anyCaller(), this::describe),
            read("/rights", Access.anyCaller(), this::rights),
            read("/controllers", to(Verb.LIST, CONTROLLERS), all.controllers(controllers::list))
                .tabular(clock),
            read(CONTROLLER, to(Verb.GET, CONTROLLERS), all.controller(controllers::get))
                .tabular(clock),
            conditional(PATCH, CONTROLLER, to(Verb.TUNE, CONTROLLERS), scale),
            conditional(PUT, CONTROLLER + "/scale", to(Verb.TUNE, CONTROLLERS), scale),
            conditional(POST, CONTROLLER + "/pause", to(Verb.PAUSE, CONTROLLERS), pause),
            conditional(POST, CONTROLLER + "/resume", to(Verb.RESUME, CONTROLLERS), resume),
            change(POST, CONTROLLER + "/operations", Access.toOperate(), orders::create),
            read(CONTROLLER + "/stats", to(Verb.GET, CONTROLLERS), all.statistics(statistics::get)),
            read("/stats", to(Verb.LIST, CONTROLLERS), all.statistics(statistics::getAll)),
            read("/causes", to(Verb.LIST, ITEMS), allCauses::listAll).tabular(clock),
            read(CONTROLLER + "/causes", to(Verb.LIST, ITEMS), allCauses::list).tabular(clock),
            read(CAUSE, to(Verb.LIST, ITEMS), allCauses::get).tabular(clock),
            read("/objects", to(Verb.GET, ITEMS, Scope.EACH), allObjects::list).tabular(clock),
            read(CONTROLLER + "/items", to(Verb.LIST, ITEMS, Scope.QUERY), walk::list)
                .tabular(clock),
            change(
                POST,
                CONTROLLER + "/items",
                to(Verb.ENQUEUE, ITEMS, Scope.BODY),
                change.added(items::addable, items::add)),
            read(ITEM, to(Verb.GET, ITEMS, Scope.ITEM), all.item(items::get)).tabular(clock),
            conditional(
                DELETE,
                ITEM,
                to(Verb.DROP, ITEMS, Scope.ITEM),
                change.item(items::get, items::drop)),
            read(
                ITEM + "/explain",
                to(Verb.GET, ITEMS, Scope.ITEM),
                all.explanation(items::explain)),
            conditional(
                POST,
                ITEM + "/retry",
                to(Verb.RETRY, ITEMS, Scope.ITEM),
                change.item(items::get, items::retry)),
            conditional(
                POST,
                ITEM + "/forget",
                to(Verb.FORGET, ITEMS, Scope.ITEM),
                change.item(items::get, items::forget)),
            conditional(
                POST,
                ITEM + "/requeue",
                to(Verb.REQUEUE, ITEMS, Scope.ITEM),
                change.item(items::get, items::requeue)),
            read("/operations", to(Verb.LIST, Access.OPERATIONS, Scope.QUERY), spanning::list)
                .tabular(clock),
            read(OPERATION, to(Verb.GET, Access.OPERATIONS, Scope.OPERATION), spanning::get)
                .tabular(clock),
            change(
                DELETE,
                OPERATION,
                to(Verb.STOP, Access.OPERATIONS, Scope.OPERATION),
                spanning::stop),
            read("/audit", to(Verb.LIST, Access.AUDIT), allAudits::list).tabular(clock),
            read("/changes", to(Verb.LIST, Access.AUDIT), allChanges::list).tabular(clock),
            change(POST, CHANGE + "/undo", to(Verb.PAUSE, CONTROLLERS, Scope.EACH), undo::undo),
            read("/timeline", to(Verb.LIST, Access.AUDIT), timelines::list).tabular(clock),
            read("/limiters", to(Verb.LIST, Access.LIMITERS), allLimiters::list).tabular(clock),
            read(LIMITER, to(Verb.GET, Access.LIMITERS), allLimiters::get).tabular(clock),
            change(PATCH, LIMITER, to(Verb.TUNE, Access.LIMITERS), override),
            change(PUT, LIMITER + "/override", to(Verb.TUNE, Access.LIMITERS), override),
            change(DELETE, LIMITER + "/override", to(Verb.TUNE, Access.LIMITERS), clear),
            read("/replicas", to(Verb.LIST, Access.REPLICAS), replicas::list).tabular(clock),
            change(
                POST,
                DRAIN,
                to(Verb.DRAIN, Access.REPLICAS),
                change.replica(ReplicaDrain.DRAIN, drain::begin)),
            change(
                DELETE,
                DRAIN,
                to(Verb.DRAIN, Access.REPLICAS),
                change.replica(ReplicaDrain.UNDRAIN, drain::end)),
            read("/plugins", to(Verb.LIST, Access.PLUGINS), allPlugins::list).tabular(clock),
            read(PLUGIN, to(Verb.GET, Access.PLUGINS), allPlugins::get).tabular(clock),
            change(
                POST,
                PLUGIN + "/deploy",
                to(Verb.DEPLOY, Access.PLUGINS),
                allPlugins.begin(change, Action.DEPLOY)),
            change(
                POST,
                PLUGIN + "/stop",
                to(Verb.STOP, Access.PLUGINS),
                allPlugins.begin(change, Action.STOP)),
            change(
                POST,
                PLUGIN + "/redeploy",
                to(Verb.REDEPLOY, Access.PLUGINS),
                allPlugins.begin(change, Action.REDEPLOY)),
            read("/caches", to(Verb.LIST, Access.REPLICAS), caches::listAll).tabular(clock),
            read("/config", to(Verb.LIST, Access.CONFIGURATION), configuration::list)
                .tabular(clock),
            read("/slots", to(Verb.LIST, Access.SLOTS), allSlots::list).tabular(clock),
            change(
                DELETE,
                "/slots",
                to(Verb.UPDATE, Access.SLOTS),
                new SlotReset(directory, slots)::reset),
            read("/events", Access.toEvents(), events::get).producing("text/event-stream"));
    OperationNotes notes = new OperationNotes(cluster, operations, log, options.changes());
    peerTable =
        PeerRoutes.of(
            controllers,
            pauses,
            items,
            causes,
            objects,
            operations,
            notes,
            replicas,
            allSlots,
            drain,
            statistics,
            audits,
            timelines,
            limiters,
            plugins,
            caches,
            configuration,
            events);
    openApi = new OpenApi(table, context.owner());
    rights = new Rights(access, table);
  }

  private static Endpoint read(String path, Access access, Endpoint.Handler handler) {
    return Endpoint.read(ROOT + path, access, handler);
  }

  private static Endpoint change(
      HttpMethod method, String path, Access access, Endpoint.Handler handler) {
    return Endpoint.change(method, ROOT + path, access, handler);
  }

  private static Endpoint conditional(
      HttpMethod method, String path, Access access, Endpoint.Handler handler) {
    return Endpoint.conditional(method, ROOT + path, access, handler);
  }

  /** Returns the router of all routes. */
  Router mount(Vertx vertx) {
    return dispatcher.mount(vertx, table, peerTable);
  }

  /** Stops the background work; completes when it has ended, or after a short time. */
  Future<Void> close() {
    return operations.close();
  }

  private Future<Response> rights(RequestContext exchange) {
    return rights.list(exchange);
  }

  private Future<Response> discover(RequestContext exchange) {
    return discovery.get(exchange, table);
  }

  private Future<Response> describe(RequestContext exchange) {
    return openApi.get(exchange);
  }
}
