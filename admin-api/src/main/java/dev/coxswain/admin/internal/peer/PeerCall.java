// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.internal.loop.ClassNames;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request to another replica, until its first result: a response, a failure or the time limit.
 * The result never fails. Confined to the admin event loop.
 */
abstract class PeerCall<T> {

  private static final int MAX_CAUSES = 16;

  final Peer peer;
  private final Vertx vertx;
  private final Promise<T> promise = Promise.promise();
  private final long timer;
  private @Nullable HttpClientRequest request;

  PeerCall(Vertx vertx, Peer peer, long timeoutMillis) {
    this.vertx = vertx;
    this.peer = peer;
    this.timer =
        vertx.setTimer(
            timeoutMillis,
            late -> abort(PeerAnswer.State.TIMEOUT, "no answer within " + timeoutMillis + " ms"));
  }

  /** Returns the result of a call without a response body. */
  abstract T result(PeerAnswer answer);

  /** Handles the head of the response. */
  abstract void answered(HttpClientResponse response);

  final Future<T> future() {
    return promise.future();
  }

  final boolean ended() {
    return promise.future().isComplete();
  }

  final void connected(
      HttpClientRequest connection, Map<String, String> headers, @Nullable Buffer body) {
    // The futures report each failure; without a handler Vert.x logs a reset as an error.
    connection.exceptionHandler(_ -> {});
    if (ended()) {
      connection.reset();
      return;
    }
    request = connection;
    try {
      headers.forEach(connection::putHeader);
      connection.putHeader(ApiHeaders.PEER_PROTOCOL, ApiHeaders.PEER_PROTOCOL_VERSION);
      connection.putHeader(ApiHeaders.REPLICA, peer.replica());
      connection.response().onComplete(this::answered, this::failed);
      (body == null ? connection.end() : connection.end(body)).onFailure(this::failed);
    } catch (RuntimeException e) {
      failed(e); // invalid headers or paths throw here
    }
  }

  /** Returns why a response is not that of the requested replica, or null when it is. */
  final @Nullable String mismatch(HttpClientResponse response) {
    String protocol = response.getHeader(ApiHeaders.PEER_PROTOCOL);
    if (!ApiHeaders.PEER_PROTOCOL_VERSION.equals(protocol)) {
      return "it does not support version "
          + ApiHeaders.PEER_PROTOCOL_VERSION
          + " of the protocol between replicas";
    }
    String name = response.getHeader(ApiHeaders.REPLICA);
    return peer.replica().equals(name)
        ? null
        : peer.address() + " is the address of \"" + name + "\"";
  }

  final void failed(Throwable cause) {
    abort(PeerAnswer.State.UNREACHABLE, describe(cause));
  }

  final void abort(PeerAnswer.State state, String error) {
    HttpClientRequest open = request;
    if (end(result(PeerAnswer.none(peer.replica(), state, error, open != null))) && open != null) {
      open.reset();
    }
  }

  final boolean end(T result) {
    vertx.cancelTimer(timer);
    return promise.tryComplete(result);
  }

  /** Returns the message of a connection failure. */
  static String describe(Throwable cause) {
    Throwable root = cause;
    for (int depth = 0; depth < MAX_CAUSES && root.getCause() != null; depth++) {
      root = root.getCause();
    }
    String message = root.getMessage();
    return message == null ? ClassNames.simple(root.getClass()) : message;
  }
}
