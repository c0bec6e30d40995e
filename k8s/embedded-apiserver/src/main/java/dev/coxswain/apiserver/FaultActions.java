// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.apiserver.internal.fault.FaultTarget;
import dev.coxswain.apiserver.internal.http.Backend;
import dev.coxswain.apiserver.internal.http.Listener;

/** The effects of faults on the parts of a server; confined to its event loop. */
final class FaultActions implements FaultTarget {
  private final Backend backend;
  private final Listener listener;

  FaultActions(Backend backend, Listener listener) {
    this.backend = backend;
    this.listener = listener;
  }

  @Override
  public int closeWatches(FaultFilter filter, int limit) {
    return backend.watches().closeSome(filter, limit);
  }

  @Override
  public int silenceWatches(FaultFilter filter, int limit) {
    return backend.watches().silence(filter, limit);
  }

  @Override
  public void compactHistory(boolean expireOpen) {
    backend.store().compact();
    if (expireOpen) {
      backend.watches().expireAll();
    }
  }

  @Override
  public int cutConnections(int limit) {
    return listener.cut(limit);
  }

  @Override
  public void listen(boolean on) {
    listener.listen(on);
  }

  @Override
  public void unknownFields(boolean on) {
    backend.rendering().unknownFields(on);
  }

  @Override
  public boolean isBuiltin(String group) {
    return backend.registry().builtin(group);
  }

  @Override
  public void watchesChanged() {
    backend.watches().faultsChanged();
  }
}
