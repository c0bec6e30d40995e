// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.json.Rejection;
import io.vertx.core.Future;

/**
 * Decides who may look at an operation, or stop it. Its address says neither the controller nor the
 * namespace that it is about, so it is looked up. Confined to the admin event loop.
 *
 * <h2>What a refusal tells</h2>
 *
 * Who has the right to all operations passes first, and is told by the handler when there is none
 * of that id. Everybody else is refused with the same words whether there is no such operation or
 * only none for them: ids can be guessed, and what others do is none of their business.
 */
public final class OperationRights {

  private final AccessHandler gate;
  private final OperationLog operations;

  public OperationRights(AccessHandler gate, OperationLog operations) {
    this.gate = gate;
    this.operations = operations;
  }

  /** Finds out what somebody may touch; fails with a {@link Rejection} if it is nothing. */
  public Future<OperationScope> permit(Principal principal, Verb verb, String id) {
    AccessRequest all = new AccessRequest(verb, Access.OPERATIONS, "", "");
    return gate.permit(principal, all)
        .map(OperationScope.ALL)
        .recover(refused -> known(principal, verb, id, refused));
  }

  /** Returns whether this replica has never heard of an operation, or not for long. */
  public boolean isUnknown(String id) {
    return operations.subject(id).isEmpty();
  }

  private Future<OperationScope> known(
      Principal principal, Verb verb, String id, Throwable refused) {
    if (!(refused instanceof Rejection rejection) || !isForbidden(refused)) {
      return Future.failedFuture(refused);
    }
    return operations
        .subject(id)
        .map(about ->
            gate.permit(
                    principal,
                    new AccessRequest(
                        verb, Access.OPERATIONS, about.namespace(), about.controller()))
                .map(new OperationScope(about, rejection))
                .recover(failure -> Future.failedFuture(isForbidden(failure) ? refused : failure)))
        .orElseGet(() -> Future.failedFuture(refused));
  }

  private static boolean isForbidden(Throwable failure) {
    return failure instanceof Rejection rejection && rejection.problem().slug().equals("forbidden");
  }
}
