// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls with keys of other replicas reach their owners, once. */
class ForwardedCallbackTest {

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    http.close();
    Await.get(vertx.close());
  }

  private final class Replica {
    final RecordingSink sink = new RecordingSink(true);
    volatile String token = "secret";
    final AtomicInteger calls = new AtomicInteger();
    final HttpCallbackSource<Request> source =
        new HttpCallbackSource<>(
            HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.bearer(() -> token)),
            body -> {
              calls.incrementAndGet();
              return Stream.of(body.toString().split(",", -1))
                  .map(name -> Request.of("a", name))
                  .toList();
            });

    Replica() {
      Promise<Void> listening = Promise.promise();
      vertx.runOnContext(go -> source.start(sink).onComplete(listening));
      Await.get(listening.future());
    }

    String url() {
      return "http://127.0.0.1:" + source.port();
    }

    HttpResponse<String> call(String body, String bearer) {
      return Await.get(Future.fromCompletionStage(start(body, bearer)));
    }

    CompletableFuture<HttpResponse<String>> start(String body, String bearer) {
      return http.sendAsync(
          HttpRequest.newBuilder(URI.create(url() + "/hook"))
              .header("Authorization", "Bearer " + bearer)
              .header("X-Event", "push")
              .POST(BodyPublishers.ofString(body))
              .build(),
          BodyHandlers.ofString());
    }
  }

  @Test
  void aCallWithKeysOfSeveralReplicas_isAcceptedByEachForItsOwn() {
    Replica one = new Replica();
    Replica two = new Replica();
    Replica three = new Replica();
    for (Replica replica : List.of(one, three)) {
      replica.sink.disown(Request.of("a", "y"), two.url());
    }
    for (Replica replica : List.of(one, two)) {
      replica.sink.disown(Request.of("a", "z"), three.url());
    }
    for (Replica replica : List.of(two, three)) {
      replica.sink.disown(Request.of("a", "x"), one.url());
    }
    assertThat(one.call("x,y,z", "secret").statusCode()).isEqualTo(202);
    assertThat(one.sink.added()).containsExactly("a/x 0 EVENT");
    assertThat(two.sink.added()).containsExactly("a/y 0 EVENT");
    assertThat(three.sink.added()).containsExactly("a/z 0 EVENT");
    assertThat(List.of(one.calls.get(), two.calls.get(), three.calls.get())).containsOnly(1);
  }

  @Test
  void aCallIsSentOnOnce_alsoWhenTheReceiverDoesNotOwnItsKeysEither() {
    Replica one = new Replica();
    Replica two = new Replica();
    one.sink.disown(Request.of("a", "y"), two.url());
    two.sink.disown(Request.of("a", "y"), one.url());
    HttpResponse<String> response = one.call("y", "secret");
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("Retry-After")).contains("1");
    assertThat(response.body()).contains("a/y");
    assertThat(List.of(one.calls.get(), two.calls.get())).containsOnly(1);
    assertThat(two.sink.added()).isEmpty();
  }

  @Test
  void anOwnerThatRefusesTheCaller_orIsGone_leavesItsKeysToTheCaller_andTheOthersAreQueued() {
    Replica one = new Replica();
    Replica two = new Replica();
    Replica three = new Replica();
    one.sink.disown(Request.of("a", "y"), two.url());
    one.sink.disown(Request.of("a", "z"), three.url());
    two.token = "other";
    Await.get(three.source.stop());
    HttpResponse<String> response = one.call("x,y,z", "secret");
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).contains("a/y", "a/z").doesNotContain("a/x");
    assertThat(one.sink.added()).containsExactly("a/x 0 EVENT");
    assertThat(two.sink.added()).isEmpty();
  }

  @Test
  void aCallerWithoutTheToken_reachesNoOtherReplica() {
    Replica one = new Replica();
    Replica two = new Replica();
    one.sink.disown(Request.of("a", "y"), two.url());
    assertThat(one.call("y", "wrong").statusCode()).isEqualTo(401);
    assertThat(two.calls.get()).isZero();
    assertThat(two.source.refused()).isZero();
  }

  @Test
  void anOwnerThatDoesNotRespond_holdsBoundedCalls_forABoundedTime() throws Exception {
    Replica one = new Replica();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      one.sink.disown(Request.of("a", "y"), "http://127.0.0.1:" + silent.getLocalPort());
      long before = System.nanoTime();
      List<CompletableFuture<HttpResponse<String>>> calls =
          IntStream.range(0, ForwardClient.MAX_CALLS + 4)
              .mapToObj(_ -> one.start("y", "secret"))
              .toList();
      assertThat(calls).allSatisfy(call -> assertThat(call.get().statusCode()).isEqualTo(503));
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isLessThan(ForwardClient.LIMIT.multipliedBy(4));
    }
  }

  @Test
  void aSource_announcesItsAddressWhileItRuns() {
    Replica one = new Replica();
    String url = one.url();
    Await.get(one.source.stop());
    assertThat(one.sink.announced()).containsExactly("/hook " + url, "/hook ");
  }

  @Test
  void tokensGoToLoopbackAddresses_orByTheSchemeThatThisReplicaAnnounces() {
    ForwardClient local = new ForwardClient(vertx, "http://127.0.0.1:8091", Optional::empty);
    assertThat(local.reaches("http://127.0.0.1:8092")).isTrue();
    assertThat(local.reaches("http://[::1]:8092")).isTrue();
    assertThat(local.reaches("http://127.0.0.1:8091")).as("itself").isFalse();
    assertThat(local.reaches("http://10.0.0.3:8091")).isFalse();
    assertThat(local.reaches("http://127.0.0.1.example.com:8091")).isFalse();
    ForwardClient tls = new ForwardClient(vertx, "https://10.0.0.1:8443", Optional::empty);
    assertThat(tls.reaches("https://10.0.0.2:8443")).isTrue();
    assertThat(tls.reaches("http://10.0.0.2:8443")).isFalse();
    assertThat(tls.reaches("https://127.0.0.1:8443")).isFalse();
    assertThat(tls.reaches("not an address")).isFalse();
    assertThat(tls.reaches("https://10.0.0.2")).isFalse();
  }

  @Test
  void anAnnouncedAddress_isSchemeHostAndPort() {
    HttpCallbackOptions options =
        HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.permitAll());
    assertThat(options.withAnnounced("https://[fd00::1]:8443").announced()).endsWith("8443");
    for (String wrong : List.of("10.0.0.3:8443", "https://a", "https://a:1/x", "ftp://a:1")) {
      assertThatThrownBy(() -> options.withAnnounced(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(wrong);
    }
  }
}
