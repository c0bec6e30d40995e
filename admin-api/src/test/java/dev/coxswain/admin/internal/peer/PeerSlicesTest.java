// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.testing.Await;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.junit5.VertxExtension;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a question to another replica needs of the event loop, it takes in slices. */
@ExtendWith(VertxExtension.class)
class PeerSlicesTest {

  private final Queue<Runnable> slices = new ConcurrentLinkedQueue<>();

  @Test
  void question_isBegunWrittenAndUnderstood_eachInItsOwnSlice(Vertx vertx) {
    AtomicInteger asked = new AtomicInteger();
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(request -> {
              asked.incrementAndGet();
              request
                  .response()
                  .putHeader(ApiHeaders.PEER_PROTOCOL, ApiHeaders.PEER_PROTOCOL_VERSION)
                  .putHeader(ApiHeaders.REPLICA, "other")
                  .end("{\"kind\":\"Any\"}");
            });
    int port = server.listen(0, "127.0.0.1").await().actualPort();
    Context loop = ((VertxInternal) vertx).createEventLoopContext();
    JsonWork work = new JsonWork(vertx, slices::add);
    PeerClient client = new PeerClient(vertx, new PeerTrust(), work, slices::add);
    Peer peer = new Peer("other", "http://127.0.0.1:" + port);
    AtomicReference<Future<PeerAnswer>> answer = new AtomicReference<>();
    loop.runOnContext(begin ->
        answer.set(
            client.send(
                peer,
                new PeerClient.Request(
                    HttpMethod.GET, "/peer/v1/x", Map.of(), null, 60_000, ObjectNode.class))));

    next(loop, asked, 0); // it is begun
    next(loop, asked, 0); // it is written
    next(loop, asked, 1); // its answer is read
    Await.until(() -> answer.get().isComplete());
    assertThat(answer.get().result().found()).isTrue();
  }

  @Test
  void questionThatCannotBeWritten_isAnswered_andDoesNotWaitForItsTimeLimit(Vertx vertx) {
    int port =
        vertx
            .createHttpServer()
            .requestHandler(request -> request.response().end())
            .listen(0, "127.0.0.1")
            .await()
            .actualPort();
    JsonWork work = new JsonWork(vertx, Runnable::run);
    PeerClient client = new PeerClient(vertx, new PeerTrust(), work, Runnable::run);
    Peer peer = new Peer("other", "http://127.0.0.1:" + port);
    AtomicReference<Future<PeerAnswer>> answer = new AtomicReference<>();
    ((VertxInternal) vertx)
        .createEventLoopContext()
        .runOnContext(begin ->
            answer.set(
                client.send(
                    peer,
                    new PeerClient.Request(
                        HttpMethod.GET, "/a b", Map.of(), null, 3_600_000, ObjectNode.class))));

    Await.until(() -> answer.get() != null && answer.get().isComplete());
    assertThat(answer.get().result().state()).isEqualTo(PeerAnswer.State.UNREACHABLE);
  }

  /** Runs the slice that comes; until then the other has been asked so often. */
  private void next(Context loop, AtomicInteger asked, int before) {
    Await.until(() -> !slices.isEmpty());
    assertThat(slices).hasSize(1);
    assertThat(asked).hasValue(before);
    Runnable slice = slices.remove();
    loop.runOnContext(run -> slice.run());
  }
}
