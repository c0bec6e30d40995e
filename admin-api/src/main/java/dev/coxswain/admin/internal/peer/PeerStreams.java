// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Opens answers of other replicas that go on for as long as somebody reads them. Bounded are the
 * time until an answer begins and the connections to each replica. Whoever opens an answer reads it
 * to its end or cancels it. Confined to the admin event loop.
 */
public final class PeerStreams {

  /** How many answers of one replica are read at once; more are refused. */
  public static final int MAX_STREAMS = 32;

  /** Small, or the replica would not see that a slow client still reads. */
  private static final int RECEIVE_BUFFER = 32 * 1024;

  private static final int MAX_WAITING = 1; // as few as the pool takes
  private static final int MAX_PROBLEM = 64 * 1024;
  private static final int OK = 200;

  private final Vertx vertx;
  private final PeerClient rules;
  private final HttpClient client;

  /**
   * Creates the client.
   *
   * @param rules which replicas may be asked, and how they are reached
   */
  public PeerStreams(Vertx vertx, PeerClient rules) {
    this.vertx = vertx;
    this.rules = rules;
    this.client = PeerConnections.client(vertx, MAX_STREAMS, MAX_WAITING, RECEIVE_BUFFER);
  }

  /**
   * What came of opening.
   *
   * @param answer whether the replica answers, and how
   * @param body what it answers, paused; null when that is not what was asked for
   */
  public record Opened(PeerAnswer answer, @Nullable HttpClientResponse body) {}

  /**
   * Opens an answer; never fails.
   *
   * @param path the path with its query
   * @param patience how long the replica has until its answer begins, in milliseconds
   */
  public Future<Opened> open(Peer peer, String path, Map<String, String> headers, long patience) {
    PeerAnswer unusable = rules.unusable(peer);
    if (unusable != null) {
      return Future.succeededFuture(new Opened(unusable, null));
    }
    Opening opening = new Opening(peer, headers, patience);
    client
        .request(rules.address(peer, HttpMethod.GET, path))
        .onComplete(opening::connected, opening::failed);
    return opening.promise.future();
  }

  /** Ends an answer that nobody reads any more. */
  public static void cancel(HttpClientResponse body) {
    body.request().reset();
  }

  private final class Opening {

    private final Peer peer;
    private final Map<String, String> headers;
    private final Promise<Opened> promise = Promise.promise();
    private final long timer;
    private @Nullable HttpClientRequest request;

    Opening(Peer peer, Map<String, String> headers, long patience) {
      this.peer = peer;
      this.headers = headers;
      this.timer =
          vertx.setTimer(
              patience,
              late -> giveUp(PeerAnswer.State.TIMEOUT, "no answer within " + patience + " ms"));
    }

    void connected(HttpClientRequest connection) {
      if (promise.future().isComplete()) {
        connection.reset();
        return;
      }
      request = connection;
      try {
        PeerClient.putHeaders(connection, peer, headers);
        connection.response().onComplete(this::answered, this::failed);
        connection.end().onFailure(this::failed);
      } catch (RuntimeException e) {
        failed(e); // what cannot be written throws here, and nobody would be told
      }
    }

    private void answered(HttpClientResponse response) {
      if (promise.future().isComplete()) {
        return; // it has been reset
      }
      response.exceptionHandler(this::failed);
      String other = PeerClient.other(peer, response);
      if (other != null) {
        giveUp(PeerAnswer.State.INCOMPATIBLE, other);
      } else if (response.statusCode() != OK) {
        refused(response);
      } else {
        response.pause();
        end(new Opened(PeerAnswer.of(peer.replica(), OK, null), response));
      }
    }

    private void refused(HttpClientResponse response) {
      Buffer text = Buffer.buffer();
      response.handler(part -> {
        if (text.length() + part.length() > MAX_PROBLEM) {
          giveUp(PeerAnswer.State.REFUSED, "it answered " + response.statusCode());
        } else {
          text.appendBuffer(part);
        }
      });
      response.endHandler(end ->
          end(
              new Opened(
                  PeerAnswer.of(peer.replica(), response.statusCode(), problem(text)), null)));
    }

    private static @Nullable ObjectNode problem(Buffer text) {
      try {
        return Json.read(text.getBytes()) instanceof ObjectNode json ? json : null;
      } catch (IOException e) {
        return null; // the status tells enough
      }
    }

    void failed(Throwable cause) {
      giveUp(PeerAnswer.State.UNREACHABLE, PeerClient.describe(cause));
    }

    private void giveUp(PeerAnswer.State state, String error) {
      HttpClientRequest open = request;
      if (end(new Opened(PeerAnswer.none(peer.replica(), state, error, open != null), null))
          && open != null) {
        open.reset();
      }
    }

    private boolean end(Opened opened) {
      vertx.cancelTimer(timer);
      return promise.tryComplete(opened);
    }
  }
}
