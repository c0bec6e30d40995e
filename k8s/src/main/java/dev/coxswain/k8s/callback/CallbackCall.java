// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * One call, from the first byte of its body to its response.
 *
 * <p>Thread rule: confined to the event loop of the request, except {@link #respond}.
 */
final class CallbackCall {

  /** The longest time from the head of a call to the end of its body. */
  private static final Duration BODY_LIMIT = Duration.ofSeconds(10);

  private final HttpServerRequest request;
  private final Context context = Objects.requireNonNull(Vertx.currentContext(), "context");
  private final Runnable onEnd;
  private final Buffer body = Buffer.buffer();
  private boolean open = true;

  /**
   * Creates a call.
   *
   * @param onEnd called once, when it has a response or the caller has disconnected
   */
  CallbackCall(HttpServerRequest request, Runnable onEnd) {
    this.request = request;
    this.onEnd = onEnd;
  }

  /**
   * Reads the body.
   *
   * @param most its most bytes
   * @param onRefusal called with 413 when it is larger, with 408 when it is slow
   * @param onBody called with the whole body
   */
  void read(int most, IntConsumer onRefusal, Consumer<Buffer> onBody) {
    Vertx vertx = context.owner();
    long timer =
        vertx.setTimer(
            BODY_LIMIT.toMillis(),
            _ -> {
              onRefusal.accept(408);
              request.connection().close();
            });
    request
        .response()
        .closeHandler(_ -> {
          vertx.cancelTimer(timer);
          end();
        });
    request.handler(part -> {
      if (open && body.length() + part.length() > most) {
        vertx.cancelTimer(timer);
        onRefusal.accept(413);
      } else if (open) {
        body.appendBuffer(part);
      }
    });
    request.endHandler(_ -> {
      if (vertx.cancelTimer(timer) && open) {
        onBody.accept(body);
      }
    });
  }

  HttpServerRequest request() {
    return request;
  }

  /**
   * Responds, unless the caller has disconnected or has a response. Any thread.
   *
   * @param header the name of a header, or nothing for none
   */
  void respond(int status, String header, String value, String text) {
    if (!Objects.equals(Vertx.currentContext(), context)) {
      context.runOnContext(_ -> respond(status, header, value, text));
    } else if (open) {
      end();
      if (!header.isEmpty()) {
        request.response().putHeader(header, value);
      }
      request.response().setStatusCode(status).end(text);
    }
  }

  private void end() {
    if (open) {
      open = false;
      onEnd.run();
    }
  }
}
