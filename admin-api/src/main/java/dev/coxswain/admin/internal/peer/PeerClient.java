// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Loopback;
import dev.coxswain.internal.loop.ClassNames;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Asks other replicas. Everything is bounded: the time, the connections to each replica, the
 * questions that wait for one, the size of an answer. Whatever goes wrong is an answer, too; no
 * future fails. Confined to the admin event loop.
 */
public final class PeerClient {

  private static final int MAX_CONNECTIONS = 8; // to each replica
  private static final int MAX_WAITING = 64;
  private static final int MAX_BODY = 8 * 1024 * 1024;
  private static final int MAX_CAUSES = 16;

  private final Vertx vertx;
  private final PeerTrust trust;

  /** The same for all questions: connections are only shared by questions with equal options. */
  private final ClientSSLOptions tls;

  private final JsonWork work;
  private final Executor slices;
  private final HttpClient client;

  public PeerClient(Vertx vertx, PeerTrust trust, JsonWork work, Executor slices) {
    this.vertx = vertx;
    this.trust = trust;
    this.tls =
        new ClientSSLOptions()
            .setTrustOptions(trust.options())
            .setHostnameVerificationAlgorithm("")
            .setEnabledSecureTransportProtocols(Set.of("TLSv1.3", "TLSv1.2"));
    this.work = work;
    this.slices = slices;
    this.client = PeerConnections.client(vertx, MAX_CONNECTIONS, MAX_WAITING, -1);
  }

  /**
   * A question.
   *
   * @param path the path with its query
   * @param headers what goes with it
   * @param body what is sent, or null
   * @param patience how long the replica has for its whole answer, in milliseconds
   */
  public record Question(
      HttpMethod method,
      String path,
      Map<String, String> headers,
      @Nullable Buffer body,
      long patience) {}

  /** Asks a replica; completes within the patience of the question, and never fails. */
  public Future<PeerAnswer> ask(Peer peer, Question question) {
    PeerAnswer unusable = unusable(peer);
    if (unusable != null) {
      return Future.succeededFuture(unusable);
    }
    Call call = new Call(peer, question);
    slices.execute(call::start);
    return call.promise.future();
  }

  /** Returns what to say of a replica that must not be asked; null when it may be. */
  @Nullable PeerAnswer unusable(Peer peer) {
    String why = unusable(peer, peer.target());
    return why == null
        ? null
        : PeerAnswer.none(
            peer.replica(),
            peer.address().isEmpty() ? PeerAnswer.State.UNREACHABLE : PeerAnswer.State.INCOMPATIBLE,
            why,
            false);
  }

  /** Returns how to reach a replica that may be asked. */
  RequestOptions address(Peer peer, HttpMethod method, String path) {
    Peer.Target target = Objects.requireNonNull(peer.target(), "target");
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setHost(target.host())
            .setPort(target.port())
            .setURI(path)
            .setSsl(target.tls());
    if (target.tls()) {
      options.setSslOptions(tls);
    }
    return options;
  }

  /** Writes what says whom a question is meant for, and the rest of its headers. */
  static void putHeaders(HttpClientRequest request, Peer peer, Map<String, String> headers) {
    headers.forEach(request::putHeader);
    request.putHeader(ApiHeaders.PEER_PROTOCOL, ApiHeaders.PEER_PROTOCOL_VERSION);
    request.putHeader(ApiHeaders.REPLICA, peer.replica());
  }

  /** Tokens are sent by TLS to who has our certificate, or do not leave the machine. */
  private @Nullable String unusable(Peer peer, Peer.@Nullable Target target) {
    if (peer.address().isEmpty()) {
      return "it has not said where its admin API listens";
    }
    if (target == null) {
      return "\"" + peer.address() + "\" is no address of an admin API";
    }
    if (target.tls() ? !trust.usable() : !Loopback.isLoopback(target.host())) {
      return "it listens on "
          + peer.address()
          + "; replicas on different machines need the same certificate in admin.tls";
    }
    return null;
  }

  /** Returns why this is not the replica that was meant, or null when it is. */
  static @Nullable String other(Peer peer, HttpClientResponse response) {
    String protocol = response.getHeader(ApiHeaders.PEER_PROTOCOL);
    if (!ApiHeaders.PEER_PROTOCOL_VERSION.equals(protocol)) {
      return "it does not speak version "
          + ApiHeaders.PEER_PROTOCOL_VERSION
          + " of the protocol between replicas";
    }
    String name = response.getHeader(ApiHeaders.REPLICA);
    return peer.replica().equals(name)
        ? null
        : "at " + peer.address() + " answers \"" + name + "\"";
  }

  /** Returns what went wrong with a connection, in words. */
  public static String describe(Throwable cause) {
    Throwable root = cause;
    for (int depth = 0; depth < MAX_CAUSES && root.getCause() != null; depth++) {
      root = root.getCause();
    }
    String message = root.getMessage();
    return message == null ? ClassNames.simple(root.getClass()) : message;
  }

  /** One question to one replica; whatever ends it first is its answer. */
  private final class Call {

    private final Peer peer;
    private final Question question;
    private final Promise<PeerAnswer> promise = Promise.promise();
    private final Buffer body = Buffer.buffer();
    private final long timer;
    private @Nullable HttpClientRequest request;
    private boolean ended;

    Call(Peer peer, Question question) {
      this.peer = peer;
      this.question = question;
      this.timer =
          vertx.setTimer(
              question.patience(),
              late ->
                  giveUp(
                      PeerAnswer.State.TIMEOUT, "no answer within " + question.patience() + " ms"));
    }

    void start() {
      if (!ended) {
        client
            .request(address(peer, question.method(), question.path()))
            .onComplete(connection -> slices.execute(() -> connected(connection)), this::failed);
      }
    }

    private void connected(HttpClientRequest connection) {
      if (ended) {
        connection.reset();
        return;
      }
      request = connection;
      try {
        write(connection);
      } catch (RuntimeException e) {
        failed(e); // what cannot be written throws here, and nobody would be told
      }
    }

    private void write(HttpClientRequest connection) {
      putHeaders(connection, peer, question.headers());
      connection.response().onComplete(this::answered, this::failed);
      Buffer sent = question.body();
      Future<Void> sending = sent == null ? connection.end() : connection.end(sent);
      sending.onFailure(this::failed);
    }

    private void answered(HttpClientResponse response) {
      response.exceptionHandler(this::failed);
      response.handler(part -> {
        if (ended) {
          return;
        }
        if (body.length() + part.length() > MAX_BODY) {
          giveUp(PeerAnswer.State.REFUSED, "its answer is longer than " + MAX_BODY + " bytes");
        } else {
          body.appendBuffer(part);
        }
      });
      response.endHandler(end -> slices.execute(() -> received(response)));
    }

    private void received(HttpClientResponse response) {
      if (ended) {
        return;
      }
      String other = other(peer, response);
      int status = response.statusCode();
      work.run(JsonWork.isLongText(body.length()), this::parse)
          .onComplete(json -> understood(status, json.orElse(null), other), this::failed);
    }

    private Optional<ObjectNode> parse() {
      try {
        return Json.read(body.getBytes()) instanceof ObjectNode json
            ? Optional.of(json)
            : Optional.empty();
      } catch (IOException e) {
        return Optional.empty(); // told by its absence
      }
    }

    private void understood(int status, @Nullable ObjectNode json, @Nullable String other) {
      PeerAnswer answer = PeerAnswer.of(peer.replica(), status, json);
      if (answer.ok() && other != null) {
        answer = PeerAnswer.none(peer.replica(), PeerAnswer.State.INCOMPATIBLE, other, true);
      } else if (answer.ok() && json == null && status != 204) {
        answer =
            PeerAnswer.none(
                peer.replica(),
                PeerAnswer.State.INCOMPATIBLE,
                "its answer is no JSON object",
                true);
      }
      end(answer);
    }

    private void failed(Throwable cause) {
      giveUp(PeerAnswer.State.UNREACHABLE, describe(cause));
    }

    private void giveUp(PeerAnswer.State state, String error) {
      HttpClientRequest open = request;
      end(PeerAnswer.none(peer.replica(), state, error, open != null));
      if (open != null) {
        open.reset();
      }
    }

    private void end(PeerAnswer answer) {
      if (!ended) {
        ended = true;
        vertx.cancelTimer(timer);
        promise.complete(answer);
      }
    }
  }
}
