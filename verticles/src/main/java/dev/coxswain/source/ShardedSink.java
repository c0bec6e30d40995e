// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import java.util.Optional;

/**
 * What a controller of a host answers to the sources of this project besides taking their requests:
 * who owns a request, where the same source is on other replicas, and which controller it is.
 * Sources of authors need an {@link EventSink} alone.
 *
 * <p>Thread rule: any thread, but {@link #owns}; no method blocks or throws.
 *
 * @param <K> the type of the requests
 */
public interface ShardedSink<K> extends EventSink<K> {

  /**
   * Returns a sink as one of these; another implementation of {@link EventSink} is one that owns all
   * requests and announces nothing.
   */
  static <K> ShardedSink<K> of(EventSink<K> sink) {
    return sink instanceof ShardedSink<K> sharded ? sharded : new WholeSink<>(sink);
  }

  /**
   * Counts a failure of user code in the source (a handler, a predicate, a mapping function) in
   * {@code coxswain_user_code_errors_total}; the source logs it.
   */
  void userCodeFailed();

  /**
   * Returns whether this replica owns a request, so that it is accepted when it is added now. A
   * source whose events no other replica receives must not drop a request that is not owned.
   *
   * <p>Thread rule: on the controller's event loop.
   */
  boolean owns(K request);

  /**
   * Returns the name of the replica that owns a request, if it is another one that is alive, as far
   * as this one has observed; empty otherwise: it is owned here, is moving, or the owner is unknown.
   */
  Optional<String> otherOwner(K request);

  /**
   * Returns the address that the other owner of a request has {@linkplain #announce announced}; empty
   * when there is none.
   *
   * @param name the name under which the same source announces its address on each replica
   */
  Optional<String> otherEndpoint(K request, String name);

  /**
   * Announces an address of this source on this replica to the same source on others.
   *
   * @param name a name that differs from that of other sources of the controller, without spaces
   * @param address the address, without spaces; empty to withdraw it
   */
  void announce(String name, String address);

  /**
   * Returns whether the controller is sharded: it accepts the requests of some slots and drops the
   * others, so that a source needs not hold objects for those.
   */
  boolean isSharded();

  /** Returns the name of the controller, for display; empty when it is unknown. */
  String controller();
}
