// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one answer to a request, and what happens to its connection then. Confined to the admin event
 * loop.
 */
public final class ResponseWriter {

  /**
   * How long a refused sender may go on, so that it can read the answer, before the line is cut.
   */
  private static final long LINGER_MILLIS = 1000;

  private static final Logger log = LoggerFactory.getLogger(ResponseWriter.class);

  private final HttpServerRequest request;
  private final Vertx vertx;
  private final long deadline;
  private final Runnable onAnswer;
  private Runnable ending;
  private boolean given;
  private boolean freed;
  private boolean released;

  /**
   * Begins to wait for it.
   *
   * @param late runs when it has not been given in time
   * @param onAnswer runs when it has been sent, or begins to stream
   * @param onEnd runs when nothing more will be sent
   */
  ResponseWriter(
      HttpServerRequest request,
      Vertx vertx,
      long timeoutMillis,
      Runnable late,
      Runnable onAnswer,
      Runnable onEnd) {
    this.request = request;
    this.vertx = vertx;
    this.onAnswer = onAnswer;
    this.ending = onEnd;
    this.deadline = vertx.setTimer(timeoutMillis, timer -> late.run());
  }

  /** Returns whether somebody has answered already. */
  boolean given() {
    return given;
  }

  /** Runs an action when nothing more will be sent. */
  void atEnd(Runnable action) {
    Runnable before = ending;
    ending =
        () -> {
          before.run();
          action.run();
        };
  }

  /** Takes the right to answer; false for whoever comes too late. */
  private boolean take() {
    if (given) {
      return false;
    }
    given = true;
    vertx.cancelTimer(deadline);
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      release();
      return false;
    }
    return true;
  }

  /** Sends it as a whole, unless there is one already. */
  void send(int status, Map<String, String> headers, String contentType, @Nullable Buffer body) {
    if (!take()) {
      return;
    }
    HttpServerResponse response = request.response();
    response.setStatusCode(status);
    headers.forEach(response::putHeader);
    boolean unread = RequestContext.hasBody(request) && !request.isEnded();
    boolean stream = request.version() == HttpVersion.HTTP_2;
    if (unread && !stream) {
      response.putHeader("Connection", "close");
    }
    Future<Void> sent;
    if (body == null) {
      sent = response.end();
    } else {
      response.putHeader("Content-Type", contentType);
      sent = response.end(body);
    }
    sent.onComplete(done -> {
      release();
      if (unread && stream) {
        response.reset(0);
      } else if (unread) {
        closeSoon();
      }
    });
    goOn();
  }

  /** Has it written by somebody who may take as long as it takes. */
  void stream(int status, Map<String, String> headers, Response.Stream stream) {
    if (!take()) {
      return;
    }
    HttpServerResponse response = request.response();
    response.setStatusCode(status).putHeader("Content-Type", stream.contentType());
    headers.forEach(response::putHeader);
    if (request.method().equals(HttpMethod.HEAD)) {
      response.end().onComplete(sent -> release());
      return;
    }
    free(); // it may go on for long, and is counted by whoever writes it
    try {
      stream.writer().apply(response).onComplete(done -> release());
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("Answer could not be begun");
      response.reset(0);
      release();
    }
  }

  /** A request is held while nobody knows whom it comes from. */
  void goOn() {
    if (!request.isEnded()) {
      request.resume();
    }
  }

  private void closeSoon() {
    var connection = request.connection();
    vertx.setTimer(LINGER_MILLIS, timer -> connection.close());
  }

  private void free() {
    if (!freed) {
      freed = true;
      onAnswer.run();
    }
  }

  private void release() {
    if (!released) {
      released = true;
      free();
      ending.run();
    }
  }
}
