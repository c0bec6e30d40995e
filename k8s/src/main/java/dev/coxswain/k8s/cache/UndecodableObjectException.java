// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Request;

/**
 * A read of an object that exists but does not fit its class: a field has another type, or the
 * class or one of its adapters threw. The server may be newer than the class. An empty answer would
 * be wrong, and would make a reconciler create or delete. The next version of the object may fit.
 *
 * <p>Thread rule: immutable.
 */
public final class UndecodableObjectException extends IllegalStateException {
  private static final long serialVersionUID = 1;
  private static final int MAX_TEXT = 500;

  private final String namespace;
  private final String name;

  UndecodableObjectException(Request key, Class<?> type, Throwable cause) {
    super(
        "%s exists, but it does not fit %s: %s"
            .formatted(key, type.getSimpleName(), firstLine(cause)),
        cause);
    this.namespace = key.namespace();
    this.name = key.name();
  }

  /** The other lines are hints for authors of adapters. */
  private static String firstLine(Throwable cause) {
    String line = UserCode.message(cause).lines().findFirst().orElse("");
    return line.length() <= MAX_TEXT ? line : line.substring(0, MAX_TEXT) + "...";
  }

  /** Returns the namespace and name of the object. */
  public Request key() {
    return new Request(namespace, name);
  }
}
