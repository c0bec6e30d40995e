// SPDX-License-Identifier: Apache-2.0
/**
 * The API for authors of controllers: a {@link dev.coxswain.reconcile.Reconciler} (plain blocking
 * Java on a virtual thread) or an {@link dev.coxswain.reconcile.AsyncReconciler} (a future, on the
 * controller's event loop), the {@link dev.coxswain.reconcile.Request} it is called with and the
 * {@link dev.coxswain.reconcile.Result} it returns.
 *
 * <p>A reconciler is level-triggered: it receives the name of the object, never the event, and must
 * be idempotent. The same request is never reconciled twice at the same time.
 */
@NullMarked
package dev.coxswain.reconcile;

import org.jspecify.annotations.NullMarked;
