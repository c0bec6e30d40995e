// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.object;

import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.admin.internal.resource.ItemView;
import dev.coxswain.admin.internal.resource.Items;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Explains an object for each controller of this replica. A controller that fails, or returns nothing
 * in time, hides none of the others. Confined to the admin event loop.
 */
public final class ObjectExplainer {

  private static final Logger log = LoggerFactory.getLogger(ObjectExplainer.class);

  /** An explanation may read the object from the API server, so not all begin at once. */
  private static final int AT_ONCE = 8;

  /** After this time the next controller begins, so that a few silent ones do not use up the whole. */
  private static final Duration TURN = Duration.ofMillis(100);

  private final Controllers controllers;
  private final Items items;
  private final ControllerCalls calls;
  private final ItemSlots slots;
  private final ObjectRights rights;

  public ObjectExplainer(
      Controllers controllers,
      Items items,
      ControllerCalls calls,
      ItemSlots slots,
      ObjectRights rights) {
    this.controllers = controllers;
    this.items = items;
    this.calls = calls;
    this.slots = slots;
    this.rights = rights;
  }

  /** One controller, and its explanation when there is one. */
  private record Wanted(String controller, Promise<ExplanationResource> explanation) {}

  /** Explains an object for the requested controllers that the caller may read. */
  public Future<Response> explain(RequestContext context) {
    ObjectQuery query = ObjectQuery.of(context.query());
    return rights
        .readable(context, query)
        .compose(readable -> {
          List<Wanted> all =
              readable.names().stream().map(name -> new Wanted(name, Promise.promise())).toList();
          Deque<Wanted> waiting = new ArrayDeque<>(all);
          for (int i = 0; i < AT_ONCE; i++) {
            begin(waiting, query.id());
          }
          // Half of the time after which the replica that asked would do without all of this one.
          Duration limit = Duration.ofMillis(Math.max(1, context.peerTimeout() / 2));
          return calls
              .atMost(
                  Future.join(all.stream().map(one -> one.explanation().future()).toList()), limit)
              .map(_ -> {
                waiting.clear();
                return Response.ok(part(all, readable.hidden(), limit, context.id()));
              });
        });
  }

  /** Begins with the next controller, and after it or its turn with the one behind it. */
  private void begin(Deque<Wanted> waiting, ItemId id) {
    Wanted next = waiting.poll();
    while (next != null) { // no call of itself for those that are done at once
      Future<ExplanationResource> explanation = explanation(next.controller(), id);
      explanation.onComplete(next.explanation());
      if (!explanation.isComplete()) {
        calls.atMost(explanation, TURN).onComplete(_ -> begin(waiting, id));
        return;
      }
      next = waiting.poll();
    }
  }

  private Future<ExplanationResource> explanation(String name, ItemId id) {
    try {
      ControllerHandle handle = controllers.running(name);
      Optional<String> impossible = handle.impossible(id);
      if (impossible.isPresent()) {
        return Future.succeededFuture(
            ItemView.without(
                name,
                id,
                Explanation.Reason.UNKNOWN_NAME.label(),
                "The name " + impossible.get() + "."));
      }
      Optional<ItemSlot> elsewhere = slots.of(name, id).filter(slot -> !slot.isHere());
      return elsewhere.isEmpty()
          ? items.explanation(handle, id)
          : notOwned(handle, id, elsewhere.get());
    } catch (RuntimeException e) { // it does not run, is blocked, or has too many calls
      return Future.failedFuture(e);
    }
  }

  /**
   * Returns the explanation of an item whose slot is not here. Only one that is still queued here is
   * explained: for any other the owner answers, and the object need not be read for it twice.
   */
  private Future<ExplanationResource> notOwned(ControllerHandle handle, ItemId id, ItemSlot slot) {
    return calls
        .call(handle, h -> h.item(id))
        .compose(found ->
            found.isPresent()
                ? items.explanation(handle, id)
                : Future.succeededFuture(ItemView.notOwned(handle.name(), id, slot)));
  }

  private static ObjectPart part(List<Wanted> all, int hidden, Duration limit, String requestId) {
    List<ObjectPart.Entry> entries = new ArrayList<>();
    for (Wanted one : all) {
      Future<ExplanationResource> explanation = one.explanation().future();
      entries.add(
          explanation.succeeded()
              ? ObjectPart.Entry.of(one.controller(), explanation.result())
              : ObjectPart.Entry.of(
                  one.controller(), problem(one.controller(), explanation, limit, requestId)));
    }
    return new ObjectPart(entries, hidden);
  }

  private static Problem problem(
      String controller,
      Future<ExplanationResource> explanation,
      Duration limit,
      String requestId) {
    if (!explanation.isComplete()) {
      return Problem.timeout(
          "controller \"" + controller + "\" did not answer within " + limit.toMillis() + " ms");
    }
    if (explanation.cause() instanceof Rejection rejection) {
      return rejection.problem();
    }
    log.atWarn()
        .addKeyValue("controller", controller)
        .addKeyValue("requestId", requestId)
        .setCause(explanation.cause())
        .log("an object could not be explained");
    return Problem.internal();
  }
}
