// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the one response to a request, and resumes or closes its connection then. Confined to the
 * admin event loop.
 */
public final class ResponseWriter {

  /** The time for a refused client to read the response before its connection is closed. */
  private static final long LINGER_MILLIS = 1000;

  private static final int PIECE = 32 * 1024;

  private static final Logger log = LoggerFactory.getLogger(ResponseWriter.class);

  private final HttpServerRequest request;
  private final Vertx vertx;
  private final long deadline;
  private final Runnable onAnswer;
  private Runnable ending;
  private boolean answered;
  private boolean freed;
  private boolean released;

  /**
   * Starts the deadline.
   *
   * @param late runs when there is no response in time
   * @param onAnswer runs when the response has been sent, or begins to stream
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

  /** Returns whether there is a response. */
  boolean answered() {
    return answered;
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

  /** Claims the response; returns false when there is one already, or the client is gone. */
  private boolean claim() {
    if (answered) {
      return false;
    }
    answered = true;
    vertx.cancelTimer(deadline);
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      release();
      return false;
    }
    return true;
  }

  /** Sends a complete response, unless there is one already. */
  void send(int status, Map<String, String> headers, String contentType, @Nullable Buffer body) {
    if (!claim()) {
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
      sent = end(response, body);
    }
    sent.onComplete(done -> {
      release();
      if (unread && stream) {
        response.reset(0);
      } else if (unread) {
        closeSoon();
      }
    });
    resume();
  }

  /**
   * Sends a body, a long one in pieces: the time-out of an idle connection begins again when a piece is
   * sent, so a client that reads slowly gets all of it.
   */
  private Future<Void> end(HttpServerResponse response, Buffer body) {
    int sent = 0;
    if (body.length() > PIECE && !request.method().equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()));
      for (; body.length() - sent > PIECE; sent += PIECE) {
        response.write(body.slice(sent, sent + PIECE));
      }
    }
    return response.end(body.slice(sent, body.length()));
  }

  /** Starts a streamed response, which has no time limit. */
  void stream(int status, Map<String, String> headers, Response.Stream stream) {
    if (!claim()) {
      return;
    }
    HttpServerResponse response = request.response();
    response.setStatusCode(status).putHeader("Content-Type", stream.contentType());
    headers.forEach(response::putHeader);
    if (request.method().equals(HttpMethod.HEAD)) {
      response.end().onComplete(sent -> release());
      return;
    }
    free(); // a stream has a limit of its own
    try {
      stream.writer().apply(response).onComplete(done -> release());
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("streamed response failed to start");
      response.reset(0);
      release();
    }
  }

  /** Resumes the request, which is paused until its caller is authenticated. */
  void resume() {
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
