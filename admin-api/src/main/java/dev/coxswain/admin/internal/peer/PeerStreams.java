// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import dev.coxswain.admin.internal.json.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The client for streamed responses of other replicas. It limits the time until a response begins
 * and the connections to each replica. The caller reads a response to its end or cancels it.
 * Confined to the admin event loop.
 */
public final class PeerStreams {

  /** The limit of open responses of one replica; more are refused. */
  private static final int MAX_STREAMS = 32;

  /** Small, so that the replica notices that a slow client still reads. */
  private static final int RECEIVE_BUFFER = 32 * 1024;

  private static final int MAX_WAITING = 1; // the least that the pool accepts
  private static final int MAX_PROBLEM = 64 * 1024;
  private static final int OK = 200;

  private final Vertx vertx;
  private final PeerClient requests;
  private final HttpClient client;

  /**
   * Creates the client.
   *
   * @param requests decides which replicas may receive requests, and over which connection
   */
  public PeerStreams(Vertx vertx, PeerClient requests) {
    this.vertx = vertx;
    this.requests = requests;
    this.client = PeerClient.connections(vertx, MAX_STREAMS, MAX_WAITING, RECEIVE_BUFFER);
  }

  /**
   * The result of {@link #open}.
   *
   * @param body the response, paused; null when its status is not 200 or there is none
   */
  public record Opened(PeerAnswer answer, @Nullable HttpClientResponse body) {}

  /**
   * Opens a response; never fails.
   *
   * @param path the path with its query
   * @param timeoutMillis the time limit until the response begins
   */
  public Future<Opened> open(
      Peer peer, String path, Map<String, String> headers, long timeoutMillis) {
    PeerAnswer unusable = requests.unusable(peer);
    if (unusable != null) {
      return Future.succeededFuture(new Opened(unusable, null));
    }
    Call call = new Call(vertx, peer, timeoutMillis);
    client
        .request(requests.options(peer, HttpMethod.GET, path))
        .onComplete(connection -> call.connected(connection, headers, null), call::failed);
    return call.future();
  }

  /** Ends a response that is not read to its end. */
  public static void cancel(HttpClientResponse body) {
    body.request().reset();
  }

  /** Returns the message of a failure while a response is read. */
  public static String describe(Throwable cause) {
    return PeerCall.describe(cause);
  }

  private static final class Call extends PeerCall<Opened> {

    Call(Vertx vertx, Peer peer, long timeoutMillis) {
      super(vertx, peer, timeoutMillis);
    }

    @Override
    Opened result(PeerAnswer answer) {
      return new Opened(answer, null);
    }

    @Override
    void answered(HttpClientResponse response) {
      if (ended()) {
        return; // it has been reset
      }
      response.exceptionHandler(this::failed);
      String mismatch = mismatch(response);
      if (mismatch != null) {
        abort(PeerAnswer.State.INCOMPATIBLE, mismatch);
      } else if (response.statusCode() != OK) {
        refused(response);
      } else {
        response.pause();
        end(new Opened(PeerAnswer.self(peer.replica()), response));
      }
    }

    private void refused(HttpClientResponse response) {
      int status = response.statusCode();
      Buffer problem = Buffer.buffer();
      response.handler(part -> {
        if (problem.length() + part.length() > MAX_PROBLEM) {
          abort(PeerAnswer.State.REFUSED, "it answered " + status);
        } else {
          problem.appendBuffer(part);
        }
      });
      response.endHandler(end ->
          end(result(PeerClient.answer(peer.replica(), status, problem, Problem.Body.class))));
    }
  }
}
