// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSink;
import dev.coxswain.testing.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpCallbackSourceTest {

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient http = HttpClient.newHttpClient();
  private final RecordingSink sink = new RecordingSink();
  private String token = "secret";

  @AfterEach
  void close() {
    http.close();
    Await.get(vertx.close());
  }

  private HttpCallbackSource<Request> started(HttpCallbackOptions options) {
    HttpCallbackSource<Request> source =
        new HttpCallbackSource<>(
            options,
            body -> {
              if (body.toString().equals("?")) {
                throw new IllegalArgumentException("on purpose");
              }
              return Stream.of(body.toString().split(",", -1))
                  .map(name -> Request.of("a", name))
                  .toList();
            });
    Promise<Void> listening = Promise.promise();
    vertx.runOnContext(go -> source.start(sink).onComplete(listening));
    Await.get(listening.future());
    return source;
  }

  private HttpCallbackSource<Request> withToken() {
    return started(
        HttpCallbackOptions.of(0, "/orders", CallbackAuthentication.bearer(() -> token)));
  }

  private HttpResponse<String> send(
      HttpCallbackSource<?> source, String method, String path, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + source.port() + path))
            .method(method, BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void keysOfOtherReplicas_areNamedInThe503_andTheOwnOnesAreQueued() throws Exception {
    HttpCallbackSource<Request> source = withToken();
    sink.disown(Request.of("a", "y"));

    HttpResponse<String> response =
        send(source, "POST", "/orders", "x,y", "Authorization", "Bearer secret");

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("Retry-After")).contains("1");
    assertThat(response.body()).contains("a/y").doesNotContain("a/x");
    assertThat(sink.added()).singleElement().asString().startsWith("a/x ");
  }

  /** Its queue takes nothing while its sources still run: the call was answered 202 and dropped. */
  @Test
  void callOfAControllerThatIsStopping_isAnswered503() throws Exception {
    HttpCallbackSource<Request> source = withToken();
    sink.stopping();

    HttpResponse<String> response =
        send(source, "POST", "/orders", "x,y", "Authorization", "Bearer secret");

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("Retry-After")).contains("1");
    assertThat(response.body()).contains("stopping", "a/x, a/y");
    assertThat(sink.added()).isEmpty();
  }

  @Test
  void callWithTheToken_isQueued_andAnswered202() throws Exception {
    HttpCallbackSource<Request> source = withToken();

    assertThat(send(source, "POST", "/orders", "x", "Authorization", "Bearer secret").statusCode())
        .isEqualTo(202);

    assertThat(sink.added()).containsExactly("a/x 0 EVENT");
    assertThat(source.describe())
        .isEqualTo("callbacks at http://127.0.0.1:" + source.port() + "/orders");
  }

  @Test
  void theTraceOfACall_isTheCauseOfItsRequests() throws Exception {
    HttpCallbackSource<Request> source = withToken();
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    send(source, "POST", "/orders", "x", "Authorization", "Bearer secret", "traceparent", trace);
    send(source, "POST", "/orders", "y", "Authorization", "Bearer secret");

    assertThat(sink.added()).hasSize(2);
    assertThat(sink.causes()).containsExactly("a/x " + trace);
  }

  @Test
  void callWithoutOrWithAnotherToken_isRefused_andABlankTokenBelievesNobody() throws Exception {
    HttpCallbackSource<Request> source = withToken();

    HttpResponse<String> without = send(source, "POST", "/orders", "x");
    assertThat(without.statusCode()).isEqualTo(401);
    assertThat(without.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    assertThat(send(source, "POST", "/orders", "x", "Authorization", "Bearer other").statusCode())
        .isEqualTo(401);
    token = " ";
    assertThat(send(source, "POST", "/orders", "x", "Authorization", "Bearer  ").statusCode())
        .isEqualTo(401);
    assertThat(sink.added()).isEmpty();
    assertThat(source.refused()).isEqualTo(3);
  }

  @Test
  void signatureOfTheBody_isChecked() throws Exception {
    HttpCallbackSource<Request> source =
        started(
            HttpCallbackOptions.of(
                0, "/hook", CallbackAuthentication.hmacSha256("X-Signature", () -> "key")));
    // printf x | openssl dgst -sha256 -hmac key
    String right = "sha256=4fc3b7eaf34d7e594a6f51d9517ba543abf41067b27587ffd82ba3584e4d3cdd";

    assertThat(send(source, "POST", "/hook", "x", "X-Signature", right).statusCode())
        .isEqualTo(202);
    assertThat(send(source, "POST", "/hook", "y", "X-Signature", right).statusCode())
        .isEqualTo(401);
    assertThat(sink.added()).containsExactly("a/x 0 EVENT");
  }

  @Test
  void otherPathsAndMethods_andBodiesThatAreTooLarge_areRefused() throws Exception {
    HttpCallbackSource<Request> source =
        started(
            HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll()).withMaxBody(10));

    assertThat(send(source, "POST", "/", "x").statusCode()).isEqualTo(404);
    assertThat(send(source, "PUT", "/hook", "x").statusCode()).isEqualTo(405);
    assertThat(send(source, "POST", "/hook", "01234567890").statusCode()).isEqualTo(413);
    assertThat(send(source, "POST", "/hook", "0123456789").statusCode()).isEqualTo(202);
    assertThat(sink.added()).hasSize(1);
  }

  @Test
  void controllerThatIsTooFarBehind_asksForPatience() throws Exception {
    HttpCallbackSource<Request> source =
        started(HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll()));
    sink.pending(EventSink.PENDING_HIGH_WATER);

    HttpResponse<String> answer = send(source, "POST", "/hook", "x");

    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    sink.pending(0);
    assertThat(send(source, "POST", "/hook", "x").statusCode()).isEqualTo(202);
  }

  @Test
  void callWithMoreDifferentKeysThanTheLimit_isRefusedAsAWhole_saysWhy_andIsCounted()
      throws Exception {
    HttpCallbackSource<Request> source =
        started(
            HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll()).withMaxKeys(2));

    HttpResponse<String> answer = send(source, "POST", "/hook", "x,y,z");

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).isEqualTo("one call may contain 2 keys: send several calls");
    assertThat(sink.added()).isEmpty();
    assertThat(source.refused()).isEqualTo(1);
    assertThat(send(source, "POST", "/hook", "x,y,x,y").statusCode()).isEqualTo(202);
    assertThat(sink.added()).containsExactly("a/x 0 EVENT", "a/y 0 EVENT");
  }

  @Test
  void callWhoseKeysDoNotFit_isRefusedAsAWhole_andAShorterOneIsTaken() throws Exception {
    HttpCallbackSource<Request> source =
        started(HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll()));
    sink.pending(EventSink.PENDING_HIGH_WATER - 1);

    HttpResponse<String> answer = send(source, "POST", "/hook", "x,y");

    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    assertThat(source.refused()).isEqualTo(1);
    assertThat(sink.added()).isEmpty();
    assertThat(send(source, "POST", "/hook", "x").statusCode()).isEqualTo(202);
  }

  @Test
  void limitOfKeys_isChecked() {
    HttpCallbackOptions options =
        HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll());

    assertThatThrownBy(() -> options.withMaxKeys(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("from 1 to 65536: 0");
    assertThatThrownBy(() -> options.withMaxKeys(EventSink.PENDING_HIGH_WATER + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void callsBeyondTheLimit_areRefused_untilOthersHaveEnded() throws Exception {
    HttpCallbackSource<Request> source =
        started(
            HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll())
                .withMaxBody(100)
                .withMaxCalls(1)
                .withMaxKeys(1));
    try (var slow = new Socket(InetAddress.getLoopbackAddress(), source.port())) {
      slow.getOutputStream()
          .write(
              "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"
                  .getBytes(StandardCharsets.UTF_8));
      Await.until("the slow call to be counted", () -> status(source) == 503);
    }
    // The slow caller has gone away without an end.
    Await.until("room again", () -> status(source) == 202);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "POST /hook HTTP/1.1\r\nHo", "POST /hook HTTP/1.1\r\nHost: x\r\n\r\n"})
  void connectionsBeyondTheLimit_takeThePlaceOfTheOneThatHasWaitedLongest(String sent)
      throws Exception {
    HttpCallbackSource<Request> source =
        started(HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll()));
    Deque<Socket> open = new ArrayDeque<>();
    try {
      for (int i = 0; i < PortServer.BOUNDS.total(); i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), source.port());
        open.add(socket);
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.UTF_8));
      }
      Await.until("a call on a new connection", () -> isAccepted(source)); // 503 while others run
      Socket oldest = open.remove();
      oldest.setSoTimeout(60_000);
      oldest.getInputStream().transferTo(OutputStream.nullOutputStream()); // ends
      oldest.close();
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private boolean isAccepted(HttpCallbackSource<Request> source) {
    try {
      return send(source, "POST", "/hook", "x").statusCode() == 202;
    } catch (IOException e) {
      return false; // closed at once
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private int status(HttpCallbackSource<Request> source) {
    try {
      return send(source, "POST", "/hook", "x").statusCode();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void bodyThatCannotBeUnderstood_isAnswered400_andCounted() throws Exception {
    HttpCallbackSource<Request> source =
        started(HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll()));

    assertThat(send(source, "POST", "/hook", "?").statusCode()).isEqualTo(400);

    assertThat(source.failures()).isEqualTo(1);
    assertThat(sink.userCodeFailures()).isEqualTo(1);
    assertThat(sink.added()).isEmpty();
  }

  @Test
  void stoppedSource_listensNoMore_andOneThatNeverStartedCanBeStopped() {
    HttpCallbackSource<Request> source =
        started(HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll()));
    Await.get(source.stop());

    assertThatThrownBy(() -> send(source, "POST", "/hook", "x")).isInstanceOf(IOException.class);
    Future<Void> never =
        new HttpCallbackSource<Request>(
                HttpCallbackOptions.of(0, "/x", CallbackAuthentication.permitAll()),
                body -> List.of())
            .stop();
    assertThat(never.succeeded()).isTrue();
  }
}
