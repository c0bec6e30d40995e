// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import io.vertx.core.Future;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The sources that a controller adds while it runs, each under a name: for kinds that only its
 * objects name, such as those of templates and policies.
 *
 * <pre>{@code
 * var controller = k8s.controller("policies").forKind(Policy.class);
 * return controller.reconciles(new PolicyReconciler(k8s, controller.sourceRegistry()));
 *
 * // in the reconciler, in each attempt
 * registry.add(kind, () -> k8s.kind(typeOf(kind)).handledBy(policiesOf(kind)).toSource());
 * }</pre>
 *
 * <p>One that is added before the controller runs starts with it. So it lists before any attempt adds it,
 * and the controller does not wait for it: for a cluster that may be unreachable.
 *
 * <p>They belong to one run of the controller on one replica, and stop with it: a reconciler adds
 * them in each attempt, as it writes its other desired state. A replica that acquires slots
 * reconciles the requests in them, and so adds their sources; if the former owner had a source that
 * it lacks, requests in backoff are reconciled, too. Added sources that have not synced do not affect
 * the readiness of the controller, and have no time limit. Otherwise they are as the sources of its
 * start: shown with their state and problems, and informed about acquired slots.
 *
 * <p>Thread rule: any thread; nothing blocks. Futures complete on the controller's event loop.
 *
 * @param <K> the type of the controller's requests
 */
public interface SourceRegistry<K> {

  /** The maximum number of added sources of a controller. */
  int MAX_SOURCES = 64;

  /** The maximum length of a name, in characters. */
  int MAX_NAME_LENGTH = 100;

  /**
   * Adds a source and starts it. While there is one of this name it does nothing, and returns the
   * future of that one, which is complete when that one has synced: {@code source} is not called
   * then.
   *
   * <p>An attempt need not wait for the future: what the source finds adds requests. It stays
   * incomplete while the source waits, for instance for a resource that is not installed.
   *
   * @param name the name; all calls with one name must make sources of one class
   * @param source makes a new source, called on the controller's event loop, which it must not block
   * @return a future with the source of this name that completes when it has delivered everything
   *     that existed. It fails, and the name is free again, when the source cannot be made or
   *     started, is one that the controller has already, or is removed before, and with an {@link
   *     IllegalStateException} when the controller has {@link #MAX_SOURCES} others, stops, or has
   *     stopped
   * @throws IllegalArgumentException when the name is blank or longer than {@link #MAX_NAME_LENGTH}
   */
  <S extends EventSource<K>> Future<S> add(String name, Supplier<S> source);

  /**
   * Removes a source and stops it; its name is free at once. Requests that it has added stay in the
   * queue. A source that several objects need is removed by the reconciler that knows that none is
   * left.
   *
   * @return a future with whether there was one of this name, that completes when it delivers
   *     nothing more; it fails when the source does not stop cleanly
   */
  Future<Boolean> remove(String name);

  /** Returns the names of the added sources; empty after the controller has stopped. */
  Set<String> names();
}
