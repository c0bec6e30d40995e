// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a call on to the replica that owns its requests, once: headers and body as they were
 * received, so that the receiver authenticates the original caller. The receiver responds with the
 * requests that it has accepted, one a line, in URL encoding.
 *
 * <p>Calls go to where this replica can be reached in the same way: to a loopback address if this one
 * listens there, and by TLS if this one announces TLS, so that a forged address receives no token in
 * clear text. At most {@link #MAX_CALLS} calls are under way, each for at most {@link #LIMIT}.
 *
 * <p>Thread rule: confined to one event loop.
 */
final class ForwardClient {

  /** The header of a call that was sent on, which is not sent on again. */
  static final String FORWARDED = "Coxswain-Forwarded";

  /** How many calls may be under way at once. */
  static final int MAX_CALLS = 32;

  /** The time limit of a call. */
  static final Duration LIMIT = Duration.ofSeconds(5);

  /** The longest response, in bytes. */
  private static final int MAX_RESPONSE = 1024 * 1024;

  private static final int ACCEPTED = 202;

  /** Headers of one connection, and those that the client sets. */
  private static final Set<String> OWN_HEADERS =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private static final Logger log = LoggerFactory.getLogger(ForwardClient.class);

  private final HttpClientAgent client;
  private final URI own;
  private final Supplier<Optional<CallbackServer.Identity>> identity;
  private Optional<CallbackServer.Identity> trusted = Optional.empty();
  private final boolean loopback;
  private int running;

  /**
   * Creates a client.
   *
   * @param own where other replicas reach this one: scheme, host and port
   * @param identity by what the others are recognized, see {@link CallbackServer#identity}
   */
  ForwardClient(Vertx vertx, String own, Supplier<Optional<CallbackServer.Identity>> identity) {
    this.own = URI.create(own);
    this.identity = identity;
    this.loopback = isLoopback(this.own.getHost());
    client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setVerifyHost(true)
                .setConnectTimeout((int) LIMIT.toMillis())
                .setIdleTimeout((int) LIMIT.toSeconds())
                .setMaxHeaderSize(32 * 1024),
            new PoolOptions().setHttp1MaxSize(MAX_CALLS));
  }

  /** Returns whether calls may be sent to an address that another replica has announced. */
  boolean reaches(String address) {
    URI other;
    try {
      other = URI.create(address);
    } catch (IllegalArgumentException e) {
      return false; // written by hand
    }
    return other.getHost() != null
        && other.getPort() > 0
        && !other.equals(own)
        && loopback == isLoopback(other.getHost())
        && own.getScheme().equals(other.getScheme());
  }

  /** Returns whether a text is an address of the loopback interface; names are not resolved. */
  static boolean isLoopback(String host) {
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    try {
      return bare.toLowerCase(Locale.ROOT).equals("localhost")
          || InetAddress.ofLiteral(bare).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Sends a call on.
   *
   * @return the accepted requests as text; empty when the call failed. The future does not fail
   */
  Future<Set<String>> forward(String address, String path, MultiMap headers, Buffer body) {
    if (running >= MAX_CALLS) {
      return Future.succeededFuture(Set.of());
    }
    running++;
    RequestOptions target =
        target(address, path)
            .setMethod(HttpMethod.POST)
            .setFollowRedirects(false)
            .setConnectTimeout(LIMIT.toMillis())
            .setIdleTimeout(LIMIT.toMillis());
    for (Map.Entry<String, String> header : headers) {
      if (!OWN_HEADERS.contains(header.getKey().toLowerCase(Locale.ROOT))) {
        target.addHeader(header.getKey(), header.getValue());
      }
    }
    target.putHeader(FORWARDED, "1");
    Call call = new Call();
    return trust()
        .compose(_ -> client.request(target))
        .compose(request -> call.send(request, body))
        .timeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(_ -> call.end())
        .recover(cause -> {
          log.atWarn()
              .addKeyValue("address", address)
              .addKeyValue("error", String.valueOf(cause))
              .log("callback not forwarded, its caller sends it again");
          return Future.succeededFuture(Set.of());
        })
        .onComplete(_ -> running--);
  }

  /** The address is connected to; the certificate may be for a name that all replicas have. */
  private RequestOptions target(String address, String path) {
    RequestOptions target = new RequestOptions().setAbsoluteURI(address + path);
    identity
        .get()
        .ifPresent(others -> {
          URI to = URI.create(address);
          String host = to.getHost();
          target
              .setServer(
                  SocketAddress.inetSocketAddress(
                      to.getPort(),
                      host.startsWith("[") ? host.substring(1, host.length() - 1) : host))
              .setHost(others.name());
        });
    return target;
  }

  /** Trusts the present authority, which may change. */
  private Future<?> trust() {
    Optional<CallbackServer.Identity> others = identity.get();
    if (others.equals(trusted)) {
      return Future.succeededFuture();
    }
    trusted = others;
    ClientSSLOptions options = new ClientSSLOptions().setHostnameVerificationAlgorithm("HTTPS");
    others.ifPresent(
        one -> options.setTrustOptions(new PemTrustOptions().addCertValue(one.authority())));
    return client.updateSSLOptions(options);
  }

  /** One call; after its end nothing is sent. */
  private static final class Call {
    private @Nullable HttpClientRequest request;
    private boolean over;

    Future<Set<String>> send(HttpClientRequest connected, Buffer body) {
      request = connected;
      connected.exceptionHandler(_ -> {}); // else Vert.x logs a reset as an error
      if (over) {
        end();
        return Future.succeededFuture(Set.of());
      }
      return connected.send(body).compose(ForwardClient::read);
    }

    void end() {
      over = true;
      if (request != null) {
        request.reset();
      }
    }
  }

  private static Future<Set<String>> read(HttpClientResponse response) {
    Promise<Set<String>> done = Promise.promise();
    Buffer text = Buffer.buffer();
    response.exceptionHandler(done::tryFail);
    response.handler(part -> {
      if (text.length() + part.length() > MAX_RESPONSE) {
        done.tryFail("the response is longer than " + MAX_RESPONSE + " bytes");
      } else {
        text.appendBuffer(part);
      }
    });
    response.endHandler(_ -> {
      if (response.statusCode() == ACCEPTED) {
        done.tryComplete(decode(text.toString()));
      } else {
        done.tryFail("the owner responded with status " + response.statusCode());
      }
    });
    return done.future();
  }

  /** Returns the text of accepted requests. */
  static String encode(Collection<?> accepted) {
    return accepted.stream()
        .map(key -> URLEncoder.encode(String.valueOf(key), StandardCharsets.UTF_8))
        .collect(Collectors.joining("\n"));
  }

  private static Set<String> decode(String text) {
    Set<String> accepted = new HashSet<>();
    text.lines()
        .filter(line -> !line.isEmpty())
        .forEach(line -> accepted.add(URLDecoder.decode(line, StandardCharsets.UTF_8)));
    return accepted;
  }

  /** Ends the calls under way. */
  Future<Void> close() {
    return client.close();
  }
}
