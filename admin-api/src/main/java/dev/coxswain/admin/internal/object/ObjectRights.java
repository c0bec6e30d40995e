// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.object;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.Snapshot;
import dev.coxswain.controller.ControllerHandle;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Selects the controllers whose item of an object a caller may read: the right is that of an
 * explanation of this item. The rights are checked one after another, so that one caller does not
 * use up the reviews of others. Confined to the admin event loop.
 */
public final class ObjectRights {

  private static final int FORBIDDEN = 403;

  private final AccessHandler access;
  private final ControllerDirectory directory;

  public ObjectRights(AccessHandler access, ControllerDirectory directory) {
    this.access = access;
    this.directory = directory;
  }

  /**
   * The controllers that a caller may read.
   *
   * @param hidden how many others there are
   */
  record Permitted(List<String> names, int hidden) {}

  /**
   * Returns the requested controllers that the caller may read. Fails with the refusal when there are
   * others only: a caller without any right is shown the missing right, and no empty list. Another
   * replica, which may have more controllers, receives an empty one.
   */
  Future<Permitted> readable(RequestContext context, ObjectQuery query) {
    Permitted known = context.attachment(Permitted.class); // checked before the other replicas
    if (known != null) {
      return Future.succeededFuture(known);
    }
    List<String> named = query.controllers();
    Future<Permitted> readable =
        named.isEmpty() ? ofAll(context, query) : ofEach(context, query, named, new ArrayList<>());
    return readable.onSuccess(found -> context.attach(Permitted.class, found));
  }

  private Future<Permitted> ofAll(RequestContext context, ObjectQuery query) {
    List<String> names = names(directory.snapshot());
    return permit(context, query, "")
        .map(_ -> new Permitted(names, 0))
        .recover(refused ->
            isForbidden(refused)
                ? ofEach(context, query, names, new ArrayList<>(List.of(refused)))
                : Future.failedFuture(refused));
  }

  /**
   * Checks the right to each controller.
   *
   * @param refusals receives the refusals; the first one is the response when nothing is permitted
   */
  private Future<Permitted> ofEach(
      RequestContext context, ObjectQuery query, List<String> names, List<Throwable> refusals) {
    List<String> permitted = new ArrayList<>();
    Future<Void> checks = Future.succeededFuture();
    for (String name : names) {
      checks =
          checks
              .compose(_ -> permit(context, query, name))
              .onSuccess(_ -> permitted.add(name))
              .recover(refused -> {
                if (!isForbidden(refused)) {
                  return Future.failedFuture(refused);
                }
                refusals.add(refused);
                return Future.succeededFuture();
              });
    }
    return checks.compose(_ ->
        permitted.isEmpty() && !context.ofReplica()
            ? Future.failedFuture(refusals.getFirst())
            : Future.succeededFuture(
                new Permitted(List.copyOf(permitted), names.size() - permitted.size())));
  }

  private Future<Void> permit(RequestContext context, ObjectQuery query, String controller) {
    return access.permit(
        context.principal(),
        new AccessRequest(Verb.GET, Access.ITEMS, query.id().namespace(), controller));
  }

  private static boolean isForbidden(Throwable failure) {
    return failure instanceof Rejection rejection && rejection.problem().status() == FORBIDDEN;
  }

  /** Returns the names of all controllers of this replica, whether they run here or not. */
  private static List<String> names(Snapshot all) {
    return Stream.of(
            all.running().stream().map(ControllerHandle::name),
            all.failed().stream().map(FailedController::name),
            all.idle().stream().map(IdleController::name))
        .flatMap(names -> names)
        .distinct()
        .sorted()
        .toList();
  }
}
