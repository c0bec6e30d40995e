// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * The operations of this replica that a request has the right to. The subject is compared once more
 * before an action, since an operation may begin after the check of the right.
 *
 * @param about the only permitted subject; null for none that is known on this replica
 * @param otherwise the refusal of other subjects; null when all operations are permitted
 */
public record OperationScope(
    OperationRecord.@Nullable Subject about, @Nullable Rejection otherwise) {

  static final OperationScope ALL = new OperationScope(null, null);

  /** Returns the scope of a request; {@link #ALL} if it has none. */
  public static OperationScope of(RequestContext context) {
    OperationScope scope = context.attachment(OperationScope.class);
    return scope == null ? ALL : scope;
  }

  /** Throws a {@link Rejection} for a subject that is not permitted. */
  void check(OperationRecord.Subject subject) {
    if (otherwise != null && !subject.equals(about)) {
      throw otherwise;
    }
  }

  /** Returns the refusal when no operation of this replica is permitted; otherwise null. */
  public @Nullable Rejection refusal() {
    return about == null ? otherwise : null;
  }
}
