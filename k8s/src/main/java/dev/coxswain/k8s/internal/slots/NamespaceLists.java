// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.Query;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists that read the namespaces of some slots instead of everything. One request serves all informers that wait for it, so
 * that a slot of twenty caches reads the namespaces once.
 *
 * <p>Without the right to list namespaces everything is read, as with slots by key; that is logged once.
 *
 * <p>Thread rule: any thread; calls block.
 */
public final class NamespaceLists {

  /** With more namespaces than this, one list of everything is read. */
  public static final int MOST = 1_000;

  private static final int FORBIDDEN = 403;

  private static final ResourceType<PartialObjectMetadata> NAMESPACES =
      ResourceType.of(V1Namespace.class).metadataOnly();

  private static final Logger LOG = LoggerFactory.getLogger(NamespaceLists.class);

  private final ApiTransport transport;
  private final AtomicLong callers = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();

  /** How many callers had come when the last request was sent; under the lock, as the others. */
  private long served;

  private Optional<List<String>> last = Optional.empty();
  private boolean reported;

  public NamespaceLists(ApiTransport transport) {
    this.transport = transport;
  }

  /**
   * Lists the objects of a cache in the namespaces of a filter, unless everything should be read.
   *
   * @param to the connection of the cache
   * @param restart receives a namespace whose list begins anew
   * @param item receives each object
   * @return a version that is not later than any of the lists, so that a watch from it misses nothing, also not in
   *     namespaces that are new; empty when nothing was read, and everything should be
   * @throws ApiStatusException when a request fails
   */
  public Optional<String> list(
      ApiTransport to,
      CacheKey<?> key,
      NamespaceFilter filter,
      Consumer<String> restart,
      Consumer<ReceivedObject> item) {
    if (filter.isAll() || !key.type().namespaced() || !key.namespace().isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> one = new HashMap<>(Query.selectors(key));
    one.put("limit", "1");
    String version = to.page(key.type().path(""), one, _ -> {}).resourceVersion();
    Optional<List<String>> names = of(filter); // after the version was read
    names.ifPresent(some ->
        some.forEach(name ->
            to.list(
                key.type().path(name),
                Query.selectors(key),
                key.type().acceptList(),
                () -> restart.accept(name),
                item)));
    return names.map(_ -> version);
  }

  /**
   * Returns the present namespaces of a filter; empty when they are more than half of all, or too many, or may not be
   * listed. The request for them is sent after this call.
   */
  private Optional<List<String>> of(NamespaceFilter filter) {
    return read()
        .flatMap(all -> {
          List<String> some = all.stream().filter(filter::has).toList();
          return some.size() <= MOST && 2 * some.size() <= all.size()
              ? Optional.of(some)
              : Optional.empty();
        });
  }

  private Optional<List<String>> read() {
    long caller = callers.incrementAndGet();
    lock.lock();
    try {
      if (served < caller) {
        long sent = callers.get();
        last = request();
        served = sent;
      }
      return last;
    } finally {
      lock.unlock();
    }
  }

  private Optional<List<String>> request() {
    List<String> names = new ArrayList<>();
    try {
      transport.list(
          NAMESPACES.path(""),
          Map.of(),
          NAMESPACES.acceptList(),
          names::clear,
          item -> names.add(item.name()));
      reported = false;
      return Optional.of(List.copyOf(names));
    } catch (ApiStatusException e) {
      if (e.code() != FORBIDDEN) {
        throw e;
      }
      if (!reported) {
        reported = true;
        LOG.atWarn()
            .addKeyValue("problem", e.getMessage())
            .log("namespaces may not be listed, so each load of slots reads everything");
      }
      return Optional.empty();
    }
  }
}
