// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.http.PortInUseException;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.metrics.WebhookMetrics;
import dev.coxswain.http.internal.BoundedListener;
import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.http.internal.ListenerOptions;
import dev.coxswain.http.internal.ServerCertificate;
import dev.coxswain.k8s.webhook.ConversionWebhook;
import dev.coxswain.k8s.webhook.ServedWebhook;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS server of webhooks and callbacks. API servers show no certificate, so callers are not
 * authenticated, and all is bounded: connections, calls at once, the time for a body, and the memory of
 * all bodies and of what is read from them. Callbacks have bounds and authentication of their own.
 *
 * <p>Thread rule: any thread; requests are handled on one event loop.
 */
final class WebhookServer {

  private static final Logger LOG = LoggerFactory.getLogger(WebhookServer.class);
  private static final String NAME = "webhooks";

  /** An admission review has two objects of at most 3 MiB each; a conversion a whole list. */
  private static final int MAX_BODY = 8 * 1024 * 1024;

  /** What a value of JSON takes in memory beside its text, about. */
  private static final int VALUE_BYTES = 100;

  /** The part of the heap for all calls together. */
  private static final int HEAP_PART = 8;

  private static final int MAX_CALLS = 128;
  private static final int MAX_CONNECTIONS = 256;

  private final Vertx vertx;
  private final Listener listener;
  private final WebhookDirectory webhooks;
  private final CallbackPaths callbacks;
  private final BoundedListener server;
  private final long memory;
  private final Duration bodyLimit;
  private int running; // confined to the event loop
  private long held; // bytes of all calls, confined to the event loop

  WebhookServer(
      Vertx vertx,
      Listener listener,
      WebhookDirectory webhooks,
      CallbackPaths callbacks,
      HostMetrics metrics) {
    this(
        vertx,
        listener,
        webhooks,
        callbacks,
        metrics,
        ConnectionBounds.ofAnyAddress(
            MAX_CONNECTIONS, Duration.ofSeconds(10), Duration.ofSeconds(90)),
        Runtime.getRuntime().maxMemory() / HEAP_PART,
        Duration.ofSeconds(10));
  }

  /**
   * Creates a server.
   *
   * @param bounds those of its connections
   * @param memory the most bytes that all calls may take together
   * @param bodyLimit the longest time from the head of a request to the end of its body
   */
  WebhookServer(
      Vertx vertx,
      Listener listener,
      WebhookDirectory webhooks,
      CallbackPaths callbacks,
      HostMetrics metrics,
      ConnectionBounds bounds,
      long memory,
      Duration bodyLimit) {
    this.vertx = vertx;
    this.webhooks = webhooks;
    this.callbacks = callbacks;
    this.memory = memory;
    this.bodyLimit = bodyLimit;
    this.listener = listener;
    this.server =
        new BoundedListener(
                vertx,
                new ListenerOptions(NAME, listener.host(), listener.port(), bounds),
                metrics.refusedConnections(NAME))
            .requests(this::handle);
  }

  /** Begins to listen, or uses another certificate for new connections. */
  Future<Void> serve(ServerCertificate certificate) {
    boolean renewed = server.listens();
    return server
        .serve(certificate)
        .onSuccess(_ -> {
          if (!renewed) {
            LOG.atInfo().addKeyValue("server", NAME).addKeyValue("port", port()).log("listening");
          }
        })
        .recover(cause ->
            Future.failedFuture(
                PortInUseException.explain(cause, NAME, listener.host(), listener.port())));
  }

  /** Returns the certificate of new connections; null before it listens. */
  @Nullable X509Certificate served() {
    return server.served();
  }

  /** Returns the bound port. */
  int port() {
    return server.port();
  }

  Future<?> stop() {
    return server.stop();
  }

  private void handle(HttpServerRequest request) {
    WebhookDirectory.Entry found = webhooks.find(request.path());
    Handler<HttpServerRequest> callback = callbacks.find(request.path());
    if (callback != null) {
      server.limits().accepted(request.connection());
      callback.handle(request);
    } else if (found == null) {
      respond(request, 404, "not found\n");
    } else if (!HttpMethod.POST.equals(request.method())) {
      request.response().putHeader("Allow", "POST");
      respond(request, 405, "webhooks take POST\n");
    } else if (running >= MAX_CALLS) {
      request.response().putHeader("Retry-After", "1");
      respond(request, 503, "too many calls at once\n");
    } else {
      server.limits().accepted(request.connection());
      new Call(request, found.webhook(), found.metrics()).read();
    }
  }

  private static void respond(HttpServerRequest request, int status, String text) {
    if (!request.response().ended() && !request.response().closed()) {
      request.response().setStatusCode(status).end(text);
    }
  }

  /** Returns how many values a JSON text has at most. */
  private static long values(byte[] json) {
    long values = 1;
    boolean text = false;
    boolean escaped = false;
    for (byte one : json) {
      if (escaped) {
        escaped = false;
      } else if (one == '"') {
        text = !text;
      } else if (text) {
        escaped = one == '\\';
      } else if (one == ',' || one == '[' || one == '{') {
        values++;
      }
    }
    return values;
  }

  /** One call, from the first byte of its body to the end of the response. */
  private final class Call {
    private final HttpServerRequest request;
    private final ServedWebhook webhook;
    private final WebhookMetrics measured;
    private final Buffer body = Buffer.buffer();
    private final long start = System.nanoTime();
    private long holds;
    private long timer = -1;
    private boolean open = true;

    Call(HttpServerRequest request, ServedWebhook webhook, WebhookMetrics measured) {
      this.request = request;
      this.webhook = webhook;
      this.measured = measured;
    }

    void read() {
      running++;
      measured.started();
      // Without a response there is no other event: the caller has disconnected.
      request.response().closeHandler(_ -> end(499));
      timer =
          vertx.setTimer(
              bodyLimit.toMillis(),
              _ -> refuse(408, "the body took more than " + bodyLimit.toSeconds() + " s\n"));
      long most = webhook instanceof ConversionWebhook ? memory : Math.min(MAX_BODY, memory);
      request.handler(part -> {
        if (body.length() + part.length() > most) {
          refuse(413, "a review may have " + most + " bytes\n");
        } else if (hold(part.length())) {
          body.appendBuffer(part);
        }
      });
      request.endHandler(_ -> review());
    }

    /** Takes memory for this call; refuses the call when there is not enough. */
    private boolean hold(long bytes) {
      if (open && held + bytes > memory) {
        refuse(holds + bytes > memory ? 413 : 503, "the calls take too much memory\n");
      }
      if (open) {
        holds += bytes;
        held += bytes;
      }
      return open;
    }

    /** Responds before the end of the body, which is not read. */
    private void refuse(int status, String text) {
      if (open) {
        request.response().putHeader("Connection", "close");
        respondWith(status, text);
        request.connection().close();
      }
    }

    private void review() {
      if (!open) {
        return;
      }
      vertx.cancelTimer(timer);
      byte[] bytes = body.getBytes();
      if (!hold(VALUE_BYTES * values(bytes))) {
        return;
      }
      JsonObject review;
      try {
        review =
            JsonParser.parseString(new String(bytes, StandardCharsets.UTF_8)).getAsJsonObject();
      } catch (JsonParseException | IllegalStateException | StackOverflowError e) {
        respondWith(400, "the body is not a JSON object\n");
        return;
      }
      webhook
          .review(review)
          .onSuccess(answer -> {
            request.response().putHeader("Content-Type", "application/json");
            respondWith(200, answer.toString());
          })
          .onFailure(e -> respondWith(400, e.getMessage() + "\n"));
    }

    private void respondWith(int status, String text) {
      if (open) {
        end(status);
        respond(request, status, text);
      }
    }

    private void end(int status) {
      if (open) {
        open = false;
        vertx.cancelTimer(timer);
        held -= holds;
        running--;
        measured.finished(status, System.nanoTime() - start);
      }
    }
  }
}
