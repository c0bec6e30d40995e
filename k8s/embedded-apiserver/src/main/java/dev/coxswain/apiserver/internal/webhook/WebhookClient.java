// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.webhook;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.JsonBody;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Sends reviews to webhooks, with bounds on connections, waiting requests, size and time. Confined
 * to the server's event loop, which it does not block.
 */
public final class WebhookClient {
  private static final int MAX_CONNECTIONS = 16;
  private static final int MAX_WAITING = 256;
  private static final int MAX_RESPONSE = 6 * 1024 * 1024; // a patch may replace the object
  private static final int MAX_SHOWN = 512;

  /** The beginning of URLs of webhooks in this process. */
  public static final String LOCAL = "https://in-process.coxswain.dev";

  private final Vertx vertx;
  private final HttpClient http;
  private @Nullable BiFunction<String, String, Future<String>> local;

  /** Creates a client that is closed with the verticle that creates it. */
  public WebhookClient(Vertx vertx) {
    this.vertx = vertx;
    this.http =
        vertx.createHttpClient(
            new HttpClientOptions().setIdleTimeout(60),
            new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS).setMaxWaitQueueSize(MAX_WAITING));
  }

  /**
   * Has webhooks in this process called without a connection.
   *
   * @param reviews returns the response to a path and a review, on this event loop; null for none
   */
  public void local(@Nullable BiFunction<String, String, Future<String>> reviews) {
    local = reviews;
  }

  private Future<ObjectNode> inProcess(String path, ObjectNode review) {
    BiFunction<String, String, Future<String>> reviews = local;
    if (reviews == null) {
      return Future.failedFuture(new WebhookException("no process serves it"));
    }
    Context loop = vertx.getOrCreateContext();
    Promise<ObjectNode> result = Promise.promise();
    reviews
        .apply(path, review.toString())
        .onComplete(answer ->
            loop.runOnContext(_ -> {
              if (answer.succeeded()) {
                complete(result, 200, Buffer.buffer(answer.result()));
              } else {
                result.tryFail(new WebhookException(String.valueOf(answer.cause().getMessage())));
              }
            }));
    return result.future();
  }

  /**
   * Sends a review.
   *
   * @param seconds limit for the whole call
   * @return the response, or a {@link WebhookException}
   */
  public Future<ObjectNode> post(WebhookTarget target, ObjectNode review, int seconds) {
    String url = target.url() + "?timeout=" + seconds + "s";
    Promise<ObjectNode> result = Promise.promise();
    if (!target.service().isEmpty()) {
      return Future.failedFuture(failed(url, "service \"" + target.service() + "\" not found"));
    }
    if (target.url().startsWith(LOCAL + "/")) {
      return inProcess(target.url().substring(LOCAL.length()), review)
          .timeout(seconds, TimeUnit.SECONDS)
          .recover(e -> Future.failedFuture(explained(url, e)));
    }
    RequestOptions options;
    try {
      options =
          new RequestOptions()
              .setMethod(HttpMethod.POST)
              .setAbsoluteURI(url)
              .setConnectTimeout(TimeUnit.SECONDS.toMillis(seconds))
              .setTimeout(TimeUnit.SECONDS.toMillis(seconds))
              .setSslOptions(target.tls())
              .putHeader("Content-Type", "application/json")
              .putHeader("Accept", "application/json, */*");
    } catch (RuntimeException e) {
      return Future.failedFuture(failed(url, "invalid URL"));
    }
    http.request(options)
        .compose(request -> exchange(request, Json.bytes(review)))
        .timeout(seconds, TimeUnit.SECONDS)
        .onComplete(result);
    return result.future().recover(e -> Future.failedFuture(explained(url, e)));
  }

  private static Future<ObjectNode> exchange(HttpClientRequest request, byte[] body) {
    return request.send(Buffer.buffer(body)).compose(response -> read(request, response));
  }

  private static Future<ObjectNode> read(HttpClientRequest request, HttpClientResponse response) {
    Promise<ObjectNode> result = Promise.promise();
    Buffer body = Buffer.buffer();
    response.exceptionHandler(result::tryFail);
    response.handler(chunk -> {
      body.appendBuffer(chunk);
      if (body.length() > MAX_RESPONSE) {
        result.tryFail(new WebhookException("the response exceeds " + MAX_RESPONSE + " bytes"));
        request.connection().close();
      }
    });
    response.endHandler(v -> complete(result, response.statusCode(), body));
    return result.future();
  }

  private static void complete(Promise<ObjectNode> result, int status, Buffer body) {
    if (status < 200 || status > 299) {
      result.tryFail(new WebhookException(refused(status, body)));
      return;
    }
    try {
      if (JsonBody.parse(body.getBytes()).tree() instanceof ObjectNode object) {
        result.tryComplete(object);
      } else {
        result.tryFail(
            new WebhookException("couldn't get version/kind; json parse error: not an object"));
      }
    } catch (IOException e) {
      result.tryFail(
          new WebhookException(
              "couldn't get version/kind; json parse error: " + Json.firstLine(e)));
    }
  }

  /** Words a status as the client of the real server does. */
  private static String refused(int status, Buffer body) {
    String text = body.toString(StandardCharsets.UTF_8).strip();
    String shown = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) : text;
    return switch (status) {
      case 400 -> "the server rejected our request for an unknown reason";
      case 401 -> "the server has asked for the client to provide credentials";
      case 403 -> shown.isEmpty() ? "forbidden" : shown;
      case 404 -> "the server could not find the requested resource";
      case 405 -> "the server does not allow this method on the requested resource";
      case 503 -> "the server is currently unable to handle the request";
      default ->
          status >= 500
              ? "an error on the server (\"%s\") has prevented the request from succeeding"
                  .formatted(shown.isEmpty() ? "unknown" : shown)
              : "the server responded with the status code %s but did not return more details"
                  .formatted(status);
    };
  }

  private static WebhookException explained(String url, Throwable cause) {
    return switch (cause) {
      case WebhookException told -> told;
      case TimeoutException late -> failed(url, "context deadline exceeded");
      case UnknownHostException unknown -> failed(url, "dial tcp: lookup: no such host");
      case ConnectException refused -> failed(url, "dial tcp: connect: connection refused");
      case SSLException tls ->
          failed(url, "tls: failed to verify certificate: x509: " + tls.getMessage());
      default -> failed(url, String.valueOf(cause.getMessage()));
    };
  }

  private static WebhookException failed(String url, String why) {
    return new WebhookException("Post \"" + url + "\": " + why);
  }
}
