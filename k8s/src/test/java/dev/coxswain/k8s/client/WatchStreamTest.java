// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.internal.json.ReceivedEvent;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.Okio;
import okio.Source;
import okio.Timeout;
import org.junit.jupiter.api.Test;

/** How the bytes of a watch become its events. */
class WatchStreamTest {

  private static final Duration LONG = Duration.ofMinutes(5);

  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final Request request = new Request.Builder().url("http://127.0.0.1/").build();
  private final Call call =
      new OkHttpClient.Builder()
          .eventListener(
              new EventListener() {
                @Override
                public void canceled(Call ended) {
                  cancelled.countDown();
                }
              })
          .build()
          .newCall(request);

  /** Bytes that come in pieces; between two of them a reader has to wait. */
  private static final class Pieces extends ScriptedSource {
    private final byte[] bytes;
    private final Random random;
    private int at;

    Pieces(byte[] bytes, Random random) {
      this.bytes = bytes;
      this.random = random;
    }

    @Override
    public long read(Buffer sink, long most) {
      if (at == bytes.length) {
        return -1;
      }
      int longest = random.nextBoolean() ? 20 : 20_000;
      int piece = Math.min(bytes.length - at, 1 + random.nextInt(longest));
      piece = (int) Math.min(piece, most);
      sink.write(bytes, at, piece);
      at += piece;
      return piece;
    }
  }

  private abstract static class ScriptedSource implements Source {
    @Override
    public Timeout timeout() {
      return Timeout.NONE;
    }

    @Override
    public void close() {}
  }

  private WatchStream stream(Source source, Duration idle) {
    Response response =
        new Response.Builder()
            .request(request)
            .protocol(Protocol.HTTP_1_1)
            .code(200)
            .message("OK")
            .body(ResponseBody.create(Okio.buffer(source), null, -1))
            .build();
    return new WatchStream(call, response, idle);
  }

  @Test
  void eventsThatArriveInAnyPieces_areThoseThatWereSent() throws IOException {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      List<String> sent = new ArrayList<>();
      StringBuilder lines = new StringBuilder();
      for (int events = random.nextInt(20); events > 0; events--) {
        int longest = random.nextInt(10) == 0 ? 40_000 : 200;
        String name = "ü" + "n".repeat(random.nextInt(longest)) + events;
        sent.add(name);
        lines.append("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"" + name + "\"}}}");
        // The last one may end with the response.
        lines.append(events == 1 && random.nextBoolean() ? "" : "\n");
        lines.append(random.nextInt(5) == 0 ? "\r\n \n" : "");
      }
      byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
      WatchStream stream = stream(new Pieces(bytes, random), LONG);
      List<String> received = new ArrayList<>();
      for (ReceivedEvent event = stream.next(); event != null; event = stream.next()) {
        // Both are read from where it was received.
        assertThat(event.object().tree().getAsJsonObject("metadata").get("name").getAsString())
            .as("seed %s", seed)
            .isEqualTo(event.object().name());
        received.add(event.object().name());
      }
      assertThat(received).as("seed %s", seed).isEqualTo(sent);
      assertThat(stream.next()).as("seed %s, after the end", seed).isNull();
      stream.close();
    }
  }

  /** As a reader finds it that was between two reads: it is no fault of its own. */
  @Test
  void watchThatWasClosed_failsAsBroken() {
    WatchStream stream = stream(new Buffer().writeUtf8("{\"type\":"), LONG);
    stream.close();
    assertThatThrownBy(stream::next).isInstanceOf(IOException.class).hasMessageContaining("closed");
  }

  @Test
  void watchThatIsSilent_isEnded_andFailsAsSilent() {
    WatchStream stream = stream(new Silent(), Duration.ofMillis(20));

    assertThatThrownBy(stream::next).isInstanceOf(SocketTimeoutException.class);
    assertThat(call.isCanceled()).isTrue();
    stream.close();
  }

  @Test
  void closeByAnotherThread_endsTheRead_andClosesTheResponseAfterIt() throws Exception {
    Silent source = new Silent();
    WatchStream stream = stream(source, LONG);
    Thread closing =
        Thread.ofVirtual()
            .start(() -> {
              awaitUninterruptibly(source.reading);
              stream.close();
            });

    assertThatThrownBy(stream::next)
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(SocketTimeoutException.class);
    closing.join();
    assertThat(source.closedDuringARead.get()).isFalse();
    assertThat(source.closed.getCount()).isZero();
  }

  /** Sends nothing until the call is cancelled. */
  private final class Silent extends ScriptedSource {
    private final CountDownLatch reading = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicBoolean closedDuringARead = new AtomicBoolean();

    @Override
    public long read(Buffer sink, long most) throws IOException {
      reading.countDown();
      awaitUninterruptibly(cancelled);
      try {
        // Long enough for a close that does not wait for the end of this.
        closedDuringARead.set(closed.await(50, TimeUnit.MILLISECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new IOException("Canceled");
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
