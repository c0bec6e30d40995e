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

  private final String namespace;
  private final String name;

  UndecodableObjectException(Request key, Class<?> type, Throwable cause) {
    super(
        "%s exists, but it does not fit %s: %s"
            .formatted(key, type.getSimpleName(), UserCode.text(cause)),
        cause);
    this.namespace = key.namespace();
    this.name = key.name();
  }

  /** Returns the namespace and name of the object. */
  public Request key() {
    return new Request(namespace, name);
  }
}
