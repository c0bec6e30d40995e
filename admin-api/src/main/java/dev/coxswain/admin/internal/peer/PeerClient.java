// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Loopback;
import dev.coxswain.admin.internal.json.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client for requests to other replicas. It limits the time, the connections to each replica,
 * the requests that wait for a connection, and the size of a response. Futures never fail: a failure
 * is a {@link PeerAnswer}, too. Confined to the admin event loop.
 */
public final class PeerClient {

  private static final int CONNECT_MILLIS = 1000;
  private static final int MAX_HEADERS = 8192;
  private static final int MAX_CHUNK = 32 * 1024;
  private static final int KEEP_ALIVE_SECONDS = 10; // with the next less than the 30 of the server
  private static final int CLEANER_MILLIS =
      5000; // by default each second, for a pool that is empty
  private static final int MAX_LIFETIME_SECONDS = 300; // then the certificate is verified again

  private static final int MAX_CONNECTIONS = 8; // to each replica
  private static final int MAX_WAITING = 64;
  private static final int MAX_BODY = 8 * 1024 * 1024;

  private final Vertx vertx;
  private final PeerTrust trust;

  /** Equal for all requests: only requests with equal options share connections. */
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
    this.client = connections(vertx, MAX_CONNECTIONS, MAX_WAITING, -1);
  }

  /**
   * Returns an HTTP client.
   *
   * @param connections the limit to each replica
   * @param waiting the limit of requests that wait for a connection to a replica
   * @param receiveBuffer the bytes that a connection receives ahead of the reader; -1 for the
   *     default of the system
   */
  static HttpClient connections(Vertx vertx, int connections, int waiting, int receiveBuffer) {
    return vertx.createHttpClient(
        new HttpClientOptions()
            .setConnectTimeout(CONNECT_MILLIS)
            .setReceiveBufferSize(receiveBuffer)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(MAX_HEADERS)
            .setMaxChunkSize(MAX_CHUNK)
            .setDecompressionSupported(false),
        new PoolOptions()
            .setHttp1MaxSize(connections)
            .setMaxWaitQueueSize(waiting)
            .setCleanerPeriod(CLEANER_MILLIS)
            .setMaxLifetimeUnit(TimeUnit.SECONDS)
            .setMaxLifetime(MAX_LIFETIME_SECONDS));
  }

  /**
   * A request.
   *
   * @param path the path with its query
   * @param timeoutMillis the time limit of the whole response
   * @param type the type of the result, which is a record or a tree
   */
  public record Request(
      HttpMethod method,
      String path,
      Map<String, String> headers,
      @Nullable Buffer body,
      long timeoutMillis,
      Class<?> type) {}

  /** Sends a request; completes within its time limit and never fails. */
  public Future<PeerAnswer> send(Peer peer, Request request) {
    PeerAnswer unusable = unusable(peer);
    if (unusable != null) {
      return Future.succeededFuture(unusable);
    }
    Call call = new Call(peer, request);
    slices.execute(call::start);
    return call.future();
  }

  /** Returns the answer for a replica that must not receive requests; null when it may. */
  @Nullable PeerAnswer unusable(Peer peer) {
    if (peer.address().isEmpty()) {
      return PeerAnswer.unreachable(
          peer.replica(), "it has not published the address of its admin API");
    }
    Peer.Target target = peer.target();
    String error = null;
    if (target == null) {
      error = "\"" + peer.address() + "\" is not the address of an admin API";
    } else if (target.tls() ? !trust.usable() : !Loopback.isLoopback(target.host())) {
      // A token goes over TLS to the owner of our certificate, or stays on this machine.
      error =
          "it listens on "
              + peer.address()
              + "; replicas on different machines need the same certificate in admin.tls";
    }
    return error == null
        ? null
        : PeerAnswer.none(peer.replica(), PeerAnswer.State.INCOMPATIBLE, error, false);
  }

  /** Returns the connection options of a replica that may receive requests. */
  RequestOptions options(Peer peer, HttpMethod method, String path) {
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

  /** A request whose response is read as a whole. */
  private final class Call extends PeerCall<PeerAnswer> {

    private final Request request;
    private final Buffer body = Buffer.buffer();

    Call(Peer peer, Request request) {
      super(vertx, peer, request.timeoutMillis());
      this.request = request;
    }

    @Override
    PeerAnswer result(PeerAnswer answer) {
      return answer;
    }

    void start() {
      if (!ended()) {
        client
            .request(options(peer, request.method(), request.path()))
            .onComplete(
                connection ->
                    slices.execute(() -> connected(connection, request.headers(), request.body())),
                this::failed);
      }
    }

    @Override
    void answered(HttpClientResponse response) {
      response.exceptionHandler(this::failed);
      response.handler(part -> {
        if (ended()) {
          return;
        }
        if (body.length() + part.length() > MAX_BODY) {
          abort(PeerAnswer.State.REFUSED, "its answer is longer than " + MAX_BODY + " bytes");
        } else {
          body.appendBuffer(part);
        }
      });
      response.endHandler(end -> slices.execute(() -> received(response)));
    }

    private void received(HttpClientResponse response) {
      if (!ended()) {
        String mismatch = mismatch(response);
        int status = response.statusCode();
        work.run(
                JsonWork.isLongText(body.length()),
                () -> answer(peer.replica(), status, body, request.type()))
            .onComplete(
                answer ->
                    end(
                        matched(
                            answer.withChange(
                                ApiHeaders.change(response.getHeader(ApiHeaders.CHANGE))),
                            mismatch)),
                this::failed);
      }
    }

    private PeerAnswer matched(PeerAnswer answer, @Nullable String mismatch) {
      return answer.ok() && mismatch != null
          ? PeerAnswer.none(peer.replica(), PeerAnswer.State.INCOMPATIBLE, mismatch, true)
          : answer;
    }
  }

  /**
   * Returns the answer for a response.
   *
   * @param type the type of a result
   */
  static PeerAnswer answer(String replica, int status, Buffer body, Class<?> type) {
    try {
      if (status < 400) {
        return PeerAnswer.ok(
            replica, status, status == 204 ? null : Json.read(body.getBytes(), type));
      }
      return PeerAnswer.of(replica, Json.read(body.getBytes(), Problem.Body.class).problem(status));
    } catch (IOException e) {
      return PeerAnswer.ofAnotherForm(replica, status);
    }
  }
}
