// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.Query;
import dev.coxswain.k8s.cache.Snapshot;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.internal.slots.NamespaceLists;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads one list of a {@link Reflector} by requests that end: the namespaces of the kept slots, or
 * everything in pages.
 *
 * <p>Thread rule: confined to the thread of its reflector.
 */
final class SnapshotReader<T extends KubernetesObject> implements NamespaceLists.Receiver {

  private final ApiTransport transport;
  private final Informer<T> cache;
  private final WatchEventHandler<T> handler;
  private final Runnable afterEach;
  private final Consumer<Duration> waits;
  private final Snapshot snapshot = new Snapshot();

  /**
   * Creates a reader of one list.
   *
   * @param afterEach runs after each object
   * @param waits waits for a time, or until the reflector stops
   */
  SnapshotReader(
      ApiTransport transport,
      Informer<T> cache,
      WatchEventHandler<T> handler,
      Runnable afterEach,
      Consumer<Duration> waits) {
    this.transport = transport;
    this.cache = cache;
    this.handler = handler;
    this.afterEach = afterEach;
    this.waits = waits;
  }

  /** Returns what was read. */
  Snapshot snapshot() {
    return snapshot;
  }

  /** Reads the namespaces of the kept slots; returns the version, or empty when everything is to be read. */
  Optional<String> namespaces(NamespaceLists lists) {
    return lists.list(transport, cache.key(), cache.filter().namespacesOfList(), this);
  }

  /** Reads everything in pages and returns the version. */
  String pages() {
    CacheKey<T> key = cache.key();
    return transport.list(
        key.type().path(key.namespace()),
        Query.selectors(key),
        key.type().acceptList(),
        snapshot::clear,
        this::item);
  }

  @Override
  public void item(ReceivedObject item) {
    handler.listed(item, snapshot);
    afterEach.run();
  }

  @Override
  public void restart(String namespace) {
    snapshot.clear(namespace);
  }

  @Override
  public void end(String namespace, String version) {
    snapshot.listed(namespace, version);
  }

  @Override
  public void pause(Duration wait) {
    waits.accept(wait);
  }
}
