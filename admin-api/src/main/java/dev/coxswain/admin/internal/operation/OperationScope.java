// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * Which operations a request may touch on this replica. An operation may begin between the moment
 * somebody's right was looked at and the moment it is acted upon, so what it is about is compared
 * again.
 *
 * @param about what it must be about; null for nothing that is known here
 * @param otherwise how everything else is refused; null when everything may be touched
 */
public record OperationScope(OperationLog.@Nullable Subject about, @Nullable Rejection otherwise) {

  static final OperationScope ALL = new OperationScope(null, null);

  /** Returns the permit of a request; {@link #ALL} if it has none. */
  public static OperationScope of(RequestContext context) {
    OperationScope permit = context.attachment(OperationScope.class);
    return permit == null ? ALL : permit;
  }

  /** Throws a {@link Rejection} for an operation that may not be touched. */
  void check(OperationLog.Subject subject) {
    if (otherwise != null && !subject.equals(about)) {
      throw otherwise;
    }
  }

  /** Returns why nothing here may be touched, though others may know better; null when some may. */
  public @Nullable Rejection refusal() {
    return about == null ? otherwise : null;
  }
}
