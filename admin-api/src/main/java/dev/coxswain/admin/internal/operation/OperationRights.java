// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.json.Rejection;
import io.vertx.core.Future;

/**
 * Checks the right to read or stop an operation. Its address contains neither the controller nor the
 * namespace, so both are looked up. Confined to the admin event loop.
 *
 * <h2>What a refusal reveals</h2>
 *
 * A caller with the right to all operations passes, and receives 404 for an unknown id. Every other
 * caller receives the same refusal for an unknown operation and for one without the right: ids can
 * be guessed, and must not reveal the operations of others.
 */
public final class OperationRights {

  private final AccessHandler access;
  private final OperationLog operations;
  private final History history;

  public OperationRights(AccessHandler access, OperationLog operations, History history) {
    this.access = access;
    this.operations = operations;
    this.history = history;
  }

  /** Returns the operations that a caller has the right to; fails with a {@link Rejection}. */
  public Future<OperationScope> permit(Principal principal, Verb verb, String id) {
    return access
        .permit(principal, new AccessRequest(verb, Access.OPERATIONS, "", ""))
        .map(OperationScope.ALL)
        .recover(refused -> forKnown(principal, verb, id, refused));
  }

  /** Returns whether this replica has no record of an operation, or no longer. */
  public boolean isUnknown(String id) {
    return operations.subject(id).isEmpty();
  }

  private Future<OperationScope> forKnown(
      Principal principal, Verb verb, String id, Throwable refused) {
    if (!(refused instanceof Rejection rejection) || !isForbidden(refused)) {
      return Future.failedFuture(refused);
    }
    OperationRecord.Subject known = operations.subject(id).orElse(null);
    return known != null
        ? permit(principal, verb, known, rejection)
        : history
            .read()
            .compose(stored -> {
              OperationRecord.Subject subject = StoredOperations.subject(stored, id);
              return subject == null
                  ? Future.failedFuture(refused)
                  : permit(principal, verb, subject, rejection);
            });
  }

  private Future<OperationScope> permit(
      Principal principal, Verb verb, OperationRecord.Subject subject, Rejection refused) {
    return access
        .permit(
            principal,
            new AccessRequest(verb, Access.OPERATIONS, subject.namespace(), subject.controller()))
        .map(new OperationScope(subject, refused))
        .recover(failure -> Future.failedFuture(isForbidden(failure) ? refused : failure));
  }

  private static boolean isForbidden(Throwable failure) {
    return failure instanceof Rejection rejection && rejection.problem().slug().equals("forbidden");
  }
}
