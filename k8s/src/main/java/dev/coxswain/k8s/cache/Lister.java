// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Optional;

/**
 * Reads of cached objects. Every returned object is a copy, decoded for this call.
 *
 * <p>Objects may lag behind the API server, usually by milliseconds.
 *
 * <p>A filtered cache, of a sharded controller, does not hold the objects of other replicas. Reads
 * that it cannot answer throw {@link ForeignObjectException}: of all objects or of all in a
 * namespace or an index, and of an object by its name when the name decides about its slot.
 *
 * <p>An object that does not fit its class is among the keys. Each other read that would return it
 * throws {@link UndecodableObjectException}, or {@link Index.FailedException} for an index: a
 * list without it would be incomplete, without an error.
 *
 * <p>Thread rule: any thread; nothing blocks.
 *
 * @param <T> the class of the objects
 */
public interface Lister<T extends KubernetesObject> {

  /**
   * Returns the object, or empty when there is none.
   *
   * @throws UndecodableObjectException when it does not fit its class
   */
  Optional<T> get(Request key);

  /** Returns whether the object exists. */
  boolean contains(Request key);

  /** Returns the keys of all objects, in no order. */
  List<Request> keys();

  /** Returns all objects, in no order. */
  List<T> list();

  /** Returns the objects of one namespace, in no order. */
  List<T> list(String namespace);

  /** Returns the objects whose labels are selected, of all namespaces, in no order. */
  List<T> list(LabelSelector selector);

  /**
   * Returns the objects with a value in an index, in no order, with at least every change that a
   * listener of the cache has received.
   *
   * @throws IllegalArgumentException when the cache does not have this index
   * @throws Index.FailedException when an object, which might be missing, does not fit its class or
   *     the index function threw for it
   */
  List<T> list(Index<T> index, String value);
}
