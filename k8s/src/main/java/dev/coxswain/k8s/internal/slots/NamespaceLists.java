// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.Query;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.ListMetadata;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
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

  /** With more namespaces than this, and an unknown number of objects, everything is read. */
  public static final int MOST = 1_000;

  /** What a request for one namespace costs, in objects of a list of everything. */
  private static final int OBJECTS_FOR_A_REQUEST = 50;

  /** How often a namespace is tried that cannot be read, before all of it is given up. */
  private static final int TRIES = 3;

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
  private static final int FORBIDDEN = 403;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERRORS = 500;

  private static final ResourceType<PartialObjectMetadata> NAMESPACES =
      ResourceType.of(V1Namespace.class).metadataOnly();

  private static final Logger LOG = LoggerFactory.getLogger(NamespaceLists.class);

  private final ApiTransport transport;
  private final AtomicLong callers = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();

  /** How many callers had come when the last request was sent; under the lock, as the others. */
  private long served;

  private Optional<List<String>> last = Optional.empty();

  /** Why the last request failed. */
  private @Nullable ApiStatusException failure;

  private boolean reported;

  public NamespaceLists(ApiTransport transport) {
    this.transport = transport;
  }

  /** Receives the lists. */
  public interface Receiver {

    /** The list of a namespace starts again. */
    void restart(String namespace);

    /** Receives an object. */
    void item(ReceivedObject item);

    /** A namespace was listed, at a version. */
    void end(String namespace, String version);

    /** Waits before a namespace is tried again; returns earlier when the cache stops. */
    void pause(Duration wait);
  }

  /**
   * Lists the objects of a cache in the namespaces of a filter, unless everything should be read.
   *
   * @param to the connection of the cache
   * @return a version that is not later than any of the lists, so that a watch from it misses nothing, also not in
   *     namespaces that are new; empty when nothing was read, and everything should be: all of it is needed, or costs
   *     less, or the namespaces may not be listed
   * @throws ApiStatusException when a request fails
   */
  public Optional<String> list(
      ApiTransport to, CacheKey<?> key, NamespaceFilter filter, Receiver receiver) {
    if (filter.isAll() || !key.type().namespaced() || !key.namespace().isEmpty()) {
      return Optional.empty();
    }
    ListMetadata first = to.page(key.type().path(""), oneObject(key), _ -> {});
    if (first.token().isEmpty()) {
      return Optional.empty(); // there is one object at most
    }
    Optional<List<String>> names = of(filter, first.remaining()); // after the version was read
    names.ifPresent(some -> list(to, key, some, receiver));
    return names.map(_ -> first.resourceVersion());
  }

  /**
   * Lists the objects of a cache in some namespaces.
   *
   * @return the version of one of the lists
   * @throws ApiStatusException when a request fails
   */
  public static String list(
      ApiTransport to, CacheKey<?> key, Collection<String> namespaces, Receiver receiver) {
    String version = "";
    for (String name : namespaces) {
      version = list(to, key, name, receiver);
    }
    return version;
  }

  /** Without the label selector, for which a server may read everything until one object fits. */
  private static Map<String, String> oneObject(CacheKey<?> key) {
    Map<String, String> query = new HashMap<>(Query.selectors(key));
    query.remove("labelSelector");
    query.put("limit", "1");
    return query;
  }

  private static String list(
      ApiTransport to, CacheKey<?> key, String namespace, Receiver receiver) {
    for (int tries = 1; ; tries++) {
      try {
        String version =
            to.list(
                key.type().path(namespace),
                Query.selectors(key),
                key.type().acceptList(),
                () -> receiver.restart(namespace),
                receiver::item);
        receiver.end(namespace, version);
        return version;
      } catch (ApiStatusException e) {
        boolean passes = e.code() == TOO_MANY_REQUESTS || e.code() >= SERVER_ERRORS;
        if (tries == TRIES || !passes) {
          throw e;
        }
        receiver.pause(pause(e));
        receiver.restart(namespace);
      }
    }
  }

  private static Duration pause(ApiStatusException cause) {
    Duration wanted = cause.delay().isZero() ? PAUSE : cause.delay();
    return wanted.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : wanted;
  }

  /**
   * Returns the present namespaces of a filter, or empty when everything should be read. The request for them is sent
   * after this call.
   *
   * @param objects how many there are in all, negative when that is unknown
   */
  private Optional<List<String>> of(NamespaceFilter filter, long objects) {
    return read()
        .flatMap(all -> {
          List<String> some = all.stream().filter(filter::has).toList();
          boolean costsLess =
              objects < 0
                  ? some.size() <= MOST
                  : (long) some.size() * OBJECTS_FOR_A_REQUEST <= objects;
          return costsLess && 2 * some.size() <= all.size() ? Optional.of(some) : Optional.empty();
        });
  }

  private Optional<List<String>> read() {
    long caller = callers.incrementAndGet();
    lock.lock();
    try {
      if (served < caller) {
        long sent = callers.get();
        request();
        // A failure may be that of the sender, which stops; the next one tries itself.
        served = failure == null ? sent : caller;
      }
      ApiStatusException failed = failure;
      if (failed != null) {
        throw failed;
      }
      return last;
    } finally {
      lock.unlock();
    }
  }

  private void request() {
    List<String> names = new ArrayList<>();
    failure = null;
    try {
      transport.list(
          NAMESPACES.path(""),
          Map.of(),
          NAMESPACES.acceptList(),
          names::clear,
          item -> names.add(item.name()));
      reported = false;
      last = Optional.of(List.copyOf(names));
    } catch (ApiStatusException e) {
      // A server, or a proxy, without namespaces is no reason to wait for them.
      if (e.code() == FORBIDDEN || e.isNotFound()) {
        last = Optional.empty();
        report(e);
      } else {
        failure = e;
      }
    }
  }

  private void report(ApiStatusException cause) {
    if (!reported) {
      reported = true;
      LOG.atWarn()
          .addKeyValue("problem", cause.getMessage())
          .log("namespaces cannot be listed, so each load of slots reads everything");
    }
  }
}
