// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.reconcile.AsyncReconciler;
import dev.coxswain.reconcile.Reconciler;
import java.util.Objects;

/** The two kinds of reconcilers. */
public sealed interface ReconcileBody<K> {

  record Blocking<K>(Reconciler<K> reconciler) implements ReconcileBody<K> {
    public Blocking {
      Objects.requireNonNull(reconciler, "reconciler");
    }
  }

  record Async<K>(AsyncReconciler<K> reconciler) implements ReconcileBody<K> {
    public Async {
      Objects.requireNonNull(reconciler, "reconciler");
    }
  }
}
