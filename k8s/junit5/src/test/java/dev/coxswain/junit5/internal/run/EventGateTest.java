// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.Okio;
import okio.Pipe;
import org.junit.jupiter.api.Test;

class EventGateTest {

  private static final String LIST_ENDS =
      """
      {"type":"BOOKMARK","object":{"kind":"ConfigMap","metadata":{"resourceVersion":"7",\
      "annotations":{"k8s.io/initial-events-end":"true"}}}}
      """;

  /**
   * A watch whose first list was still on its way counted as processed: on a busy machine the next
   * step of a scenario came before the list that follows an expired watch.
   */
  @Test
  void aWatch_isNotProcessed_beforeItsFirstListHasArrived() throws Exception {
    Pipe server = new Pipe(1 << 16);
    Request request = new Request.Builder().url("http://127.0.0.1/watch").build();
    Response response =
        new Response.Builder()
            .request(request)
            .protocol(Protocol.HTTP_1_1)
            .code(200)
            .message("OK")
            .body(ResponseBody.create(Okio.buffer(server.source()), null, -1))
            .build();
    OkHttpClient http = new OkHttpClient();
    EventGate gate =
        new EventGate(
            "", "configmaps", http.newCall(request), response, Thread.currentThread(), true);
    CountDownLatch reads = new CountDownLatch(1);
    Thread informer =
        Thread.ofPlatform()
            .start(() -> {
              reads.countDown();
              try {
                Buffer lines = new Buffer();
                while (gate.read(lines, 8192) >= 0) {
                  lines.clear();
                }
              } catch (IOException e) {
                // closed at the end of the test
              }
            });
    assertThat(reads.await(1, TimeUnit.MINUTES)).isTrue();
    await(() -> informer.getState() == Thread.State.WAITING);
    assertThat(gate.isConsumed()).isFalse();

    server
        .sink()
        .write(new Buffer().writeString(LIST_ENDS, StandardCharsets.UTF_8), LIST_ENDS.length());
    await(gate::isConsumed);
    gate.close();
    server.sink().close();
    informer.join();
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }
}
