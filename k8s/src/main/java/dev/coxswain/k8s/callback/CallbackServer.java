// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;

/**
 * A server that {@link HttpCallbackSource}s share, each with a path of its own. A host has one, with
 * TLS: {@code environment.get(CallbackServer.class)}. It listens from the first path on.
 *
 * <p>Thread rule: any thread.
 */
public interface CallbackServer {

  /**
   * Serves a path until it is withdrawn.
   *
   * @param path a path with a leading slash
   * @param calls receives the requests for it, on an event loop of the server that it must not block
   * @return completes when the server listens; fails when the path is in use
   */
  Future<Void> serve(String path, Handler<HttpServerRequest> calls);

  /**
   * Stops serving a path with what was given for it; does nothing when something else serves it. Calls
   * that were received are answered. Never fails.
   */
  Future<Void> withdraw(String path, Handler<HttpServerRequest> calls);

  /** Returns the bound port; 0 before the server listens. */
  int port();

  /**
   * Returns where other replicas reach this server: scheme, host and port. Empty when they do not.
   */
  String address();

  /**
   * Returns by what other replicas recognize the certificate of this server; empty when they verify it
   * with the trust of the JVM and the host of its address.
   */
  Optional<Identity> identity();

  /**
   * What the certificates of all replicas have in common.
   *
   * @param name a host name that each of them has
   * @param authority the certificates of their authorities, as PEM
   */
  record Identity(String name, Buffer authority) {
    public Identity {
      authority = authority.copy();
    }
  }
}
