// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.access.ChangeGuard;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.Cursors;
import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ActionResource;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.model.ItemList;
import dev.coxswain.admin.internal.model.ItemListBuilder;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.model.ItemResourceBuilder;
import dev.coxswain.admin.internal.options.ChangePolicy;
import dev.coxswain.admin.internal.peer.Syncing;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.controller.ActionResult;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The routes of items. Confined to the admin event loop. */
public final class Items {

  public static final int DEFAULT_LIMIT = 100;

  /**
   * Requests items only if all of them fit into the page; between replicas. A replica without
   * support for this header returns a page.
   */
  public static final String ONLY_ALL = "Coxswain-Only-All";

  private static final String EXPLAIN = "/explain has the reason";

  private final Controllers controllers;
  private final ControllerCalls calls;
  private final ChangePolicy policy;
  private final JsonWork work;
  private final ItemSlots slots;
  private final Cursors cursors = new Cursors();

  public Items(
      Controllers controllers,
      ControllerCalls calls,
      ChangePolicy policy,
      JsonWork work,
      ItemSlots slots) {
    this.controllers = controllers;
    this.calls = calls;
    this.policy = policy;
    this.work = work;
    this.slots = slots;
  }

  public Future<Response> list(RequestContext context) {
    ControllerHandle handle = controllers.running(context);
    Query query = context.query();
    ItemFilter filter = ItemFilters.of(query);
    Set<String> fields = query.some("fields", ItemView.FIELDS);
    int limit = query.number("limit", 1, ControllerHandle.MAX_PAGE, DEFAULT_LIMIT);
    String from = query.text("continue", 512);
    boolean onlyAll = context.ofReplica() && context.request().getHeader(ONLY_ALL) != null;
    query.done();
    ItemFilters.checkParameter(handle, filter);
    ItemPage.Cursor cursor = from == null ? null : cursors.decode(handle, filter, from);
    boolean syncing = Syncing.is(handle);
    return calls
        .call(handle, h -> h.list(filter, cursor, limit))
        .compose(page -> {
          ItemListBuilder list =
              ItemListBuilder.builder()
                  .kind(ItemList.KIND)
                  .controller(handle.name())
                  .run(cursors.run(handle))
                  .asOfSeq(page.lastSeq())
                  .isSyncing(syncing ? true : null);
          ItemPage.Cursor next = page.next();
          if (next != null && onlyAll) {
            list.withheld(true).items(List.of());
            return Future.succeededFuture(Response.ok(list.build()));
          }
          if (next != null) {
            list.next(cursors.encode(handle, filter, next));
          }
          return work.run(
              JsonWork.isLong(page.items().size()),
              () ->
                  Response.ok(
                      list.items(
                              page.items().stream()
                                  .map(item -> ItemView.item(item, fields))
                                  .toList())
                          .build()));
        });
  }

  public Future<Response> get(RequestContext context) {
    ControllerHandle handle = controllers.running(context);
    context.query().done();
    ItemId id = context.item();
    boolean syncing = Syncing.is(handle);
    return calls
        .call(handle, h -> h.item(id))
        .map(found -> {
          QueuedItem item =
              found.orElseThrow(() -> absent(handle, id, syncing ? Syncing.WHY : EXPLAIN));
          ItemResource shown =
              ItemResourceBuilder.builder(ItemView.whole(item))
                  .kind(ItemResource.KIND)
                  .controller(handle.name())
                  .build();
          return Response.ok(shown);
        });
  }

  public Future<Response> explain(RequestContext context) {
    ControllerHandle handle = controllers.running(context);
    context.query().done();
    return explanation(handle, context.item()).map(Response::ok);
  }

  /** Returns the explanation of one item on this replica. */
  public Future<ExplanationResource> explanation(ControllerHandle handle, ItemId id) {
    boolean syncing = Syncing.is(handle);
    return calls
        .call(handle, h -> h.explain(id))
        .map(why -> {
          ExplanationResource shown = ItemView.explanation(handle.name(), id, why, syncing);
          return slots
              .deciding(handle.name(), id)
              .map(slot -> ItemView.withSlot(shown, slot, isSharded(handle)))
              .orElse(shown);
        });
  }

  private static boolean isSharded(ControllerHandle handle) {
    return handle.options().ownership() == ControllerOptions.Ownership.SHARDED;
  }

  /** Returns the controller if a request would be added here: this replica has its slot. */
  public Future<Response> addable(RequestContext context) {
    ControllerHandle handle = controllers.running(context);
    checkSlot(handle, ItemSlots.added(context.body()));
    return controllers.get(context);
  }

  /** Throws when another replica has the slot of a request. */
  private void checkSlot(ControllerHandle handle, Optional<ItemId> id) {
    id.flatMap(one -> slots.of(handle.name(), one))
        .filter(slot -> !slot.isHere())
        .ifPresent(slot -> {
          throw slot.refusal().rejection();
        });
  }

  public Future<Response> add(RequestContext context) {
    ControllerHandle handle = target(context, "enqueue");
    Body body = context.body();
    String namespace = body.text("namespace", 0, 253);
    String name = body.requiredText("name", 512);
    Duration delay = body.duration("delay");
    if (namespace != null && namespace.indexOf('/') >= 0) {
      body.fault("namespace", "must not contain a slash");
    }
    ItemId id = new ItemId(namespace == null ? "" : namespace, name);
    noteReason(context, body);
    context.audit().item(id);
    handle
        .impossible(id)
        .ifPresent(why -> {
          throw invalidKey("the key " + why);
        });
    checkSlot(handle, Optional.of(id)); // the queue of this replica has no such request
    // Whether the item exists is read before, so in a race a merge may be reported as "created".
    return calls
        .call(handle, h -> h.item(id))
        .compose(before ->
            context
                .change(
                    () -> calls.call(handle, h -> h.add(id, delay == null ? Duration.ZERO : delay)))
                .map(result -> {
                  if (result instanceof ActionResult.NotFound) {
                    throw invalidKey(
                        "controller \""
                            + handle.name()
                            + "\" has no requests of this namespace and name");
                  }
                  Response reply = reply("enqueue", handle, id, result);
                  return before.filter(item -> item.phase().queued()).isPresent()
                          || reply.body() == null
                      ? reply
                      : Response.created(reply.body(), address(handle, id));
                }));
  }

  private static Rejection invalidKey(String why) {
    return Problem.of(422, "invalid-key", "Invalid key", why + "; nothing was added").rejection();
  }

  public Future<Response> retry(RequestContext context) {
    ControllerHandle handle = target(context, "retry");
    ItemId id = context.item();
    Long rev = context.ifMatch();
    noteReason(context, context.body());
    return act("retry", context, handle, id, h -> h.retry(id, rev));
  }

  public Future<Response> forget(RequestContext context) {
    ControllerHandle handle = target(context, "forget");
    ItemId id = context.item();
    Long rev = context.ifMatch();
    boolean reschedule = context.body().flag("reschedule", false);
    noteReason(context, context.body());
    return act("forget", context, handle, id, h -> h.forget(id, rev, reschedule));
  }

  public Future<Response> requeue(RequestContext context) {
    ControllerHandle handle = target(context, "requeue");
    ItemId id = context.item();
    Long rev = context.ifMatch();
    Body body = context.body();
    Duration delay = body.duration("delay");
    if (!body.has("delay")) {
      body.fault("delay", "is required; \"0s\" moves it to the end of the ready queue");
    }
    noteReason(context, body);
    return act(
        "requeue",
        context,
        handle,
        id,
        h -> h.requeue(id, rev, delay == null ? Duration.ZERO : delay));
  }

  public Future<Response> drop(RequestContext context) {
    ControllerHandle handle = target(context, "drop");
    ItemId id = context.item();
    Long rev = context.ifMatch();
    String reason = noteReason(context, context.body());
    ChangeGuard.checkDestructive(policy, handle.name());
    return context
        .change(() -> calls.call(handle, h -> h.drop(id, rev, context.actor(), reason)))
        .map(result -> {
          if (result instanceof ActionResult.Skipped skipped) {
            throw conflict("item-not-dropped", "Item not dropped", skipped.reason())
                .withCurrent(ItemView.current(skipped.item()))
                .rejection();
          }
          reply("drop", handle, id, result); // throws when it was not dropped
          return Response.noContent();
        });
  }

  private Future<Response> act(
      String action,
      RequestContext context,
      ControllerHandle handle,
      ItemId id,
      Function<ControllerHandle, Future<ActionResult>> question) {
    return context
        .change(() -> calls.call(handle, question))
        .map(result -> reply(action, handle, id, result));
  }

  private Response reply(String action, ControllerHandle handle, ItemId id, ActionResult result) {
    return switch (result) {
      case ActionResult.Applied(QueuedItem item) ->
          reply(action, handle, id, ChangedValue.APPLIED, null, item);
      case ActionResult.Skipped(String reason, QueuedItem item) ->
          reply(action, handle, id, ChangedValue.SKIPPED, reason, item);
      case ActionResult.NotFound() ->
          throw absent(handle, id, Syncing.is(handle) ? Syncing.WHY : EXPLAIN);
      case ActionResult.Changed(QueuedItem item) ->
          throw Problem.of(
                  412,
                  "item-changed",
                  "Item changed",
                  "its rev is " + item.rev() + " now; read the item again before you change it")
              .withCurrent(ItemView.current(item))
              .rejection();
      case ActionResult.Refused(String reason) ->
          throw conflict("refused", "Refused by the controller", reason).rejection();
    };
  }

  private static Response reply(
      String action,
      ControllerHandle handle,
      ItemId id,
      String result,
      @Nullable String detail,
      @Nullable QueuedItem item) {
    return Response.ok(
        ActionResource.of(
            handle.name(),
            id.encoded(),
            action,
            result,
            detail,
            item == null ? null : ItemView.item(item)));
  }

  private ControllerHandle target(RequestContext context, String action) {
    context.audit().action(action);
    context.query().done();
    return controllers.running(context);
  }

  private static String noteReason(RequestContext context, Body body) {
    String reason = body.reason();
    body.done();
    context.audit().reason(reason);
    return reason;
  }

  private static String address(ControllerHandle handle, ItemId id) {
    return "/api/v1/controllers/" + handle.name() + "/items/" + id.encoded();
  }

  private static Problem conflict(String slug, String title, String reason) {
    return Problem.of(409, slug, title, reason);
  }

  /** Returns the refusal for an item that is not here: another replica may have its slot. */
  private Rejection absent(ControllerHandle handle, ItemId id, String more) {
    return slots
        .of(handle.name(), id)
        .filter(slot -> !slot.isComplete())
        .map(slot -> slot.refusal().rejection())
        .orElseGet(() -> notFound(id, more));
  }

  private static Rejection notFound(ItemId id, String more) {
    return Problem.of(
            404,
            "item-not-found",
            "Item not found",
            "\""
                + Json.line(id.namespace() + "/" + id.name(), 600)
                + "\" is not in the queue; "
                + more)
        .rejection();
  }
}
