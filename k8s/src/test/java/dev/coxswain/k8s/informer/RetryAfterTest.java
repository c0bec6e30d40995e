// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.fixture.ScriptedServer.Answer;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A reflector waits as long as the server requests it, with lists and with watches. */
@Order(1) // takes long
class RetryAfterTest extends CacheTestSupport {

  private final RecordingListener listener = new RecordingListener();

  @Test
  void retryAfter_ofAList_isHonoured() {
    server.nextList(
        new Answer(429, "{\"kind\":\"Status\",\"code\":429}", Map.of("Retry-After", "1")));
    long begun = System.nanoTime();

    synced(listener);

    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void retryAfter_ofAWatch_isHonoured_asHeaderAndInTheStatusOfAnEvent() {
    synced(listener);
    int before = server.watches().size();
    long begun = System.nanoTime();
    server.nextWatch(
        new Answer(429, "{\"kind\":\"Status\",\"code\":429}", Map.of("Retry-After", "1")),
        new Answer(
            200,
            "{\"type\":\"ERROR\",\"object\":{\"code\":429,\"details\":{\"retryAfterSeconds\":1}}}\n",
            Map.of()));

    server.closeWatches();
    Await.until("the third watch from here", () -> server.watches().size() >= before + 3);

    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void retryAfter_shorterThanTheBackoff_isHonoured() {
    caches.close();
    Duration hours = Duration.ofHours(2); // nobody waits for half of it
    caches =
        new InformerRegistry(
            new ApiTransport(server.client(), PAGED),
            FAST.withMaxBackoff(hours).withMinBackoff(hours),
            Clock.system());
    synced(listener);
    server.put("a", "x", "1");
    listener.awaitEvents("ADDED a/x=1 EVENT"); // a watch with progress is reopened at once
    int before = server.watches().size();
    server.nextWatch(
        new Answer(429, "{\"kind\":\"Status\",\"code\":429}", Map.of("Retry-After", "1")));
    server.closeWatches();
    Await.until("the second watch", () -> server.watches().size() >= before + 2);
  }

  /** A real one names 5 s while its paths are installed, and does not find custom kinds yet. */
  @Test
  void aServerThatStarts_isNotWaitedForAsLongAsItSays() {
    caches.close();
    Duration hours = Duration.ofHours(2);
    caches =
        new InformerRegistry(
            new ApiTransport(server.client(), PAGED),
            FAST.withAbsentApiWait(hours),
            Clock.system());
    synced(listener);
    int before = server.watches().size();
    Answer starting =
        new Answer(503, "{\"kind\":\"Status\",\"code\":503}", Map.of("Retry-After", "7200"));
    server.nextWatch(
        Answer.status(503, "ServiceUnavailable"),
        Answer.status(503, "ServiceUnavailable"),
        starting,
        new Answer(404, "404 page not found", Map.of()));
    server.closeWatches();
    Await.until("the fourth watch and a list", () -> server.watches().size() >= before + 4 + 1);
  }
}
