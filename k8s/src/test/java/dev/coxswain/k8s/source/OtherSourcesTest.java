// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.source.ChannelSource.Outcome.Accepted;
import dev.coxswain.k8s.source.ChannelSource.Outcome.Busy;
import dev.coxswain.k8s.source.ChannelSource.Outcome.Foreign;
import dev.coxswain.k8s.source.ChannelSource.Outcome.NotRunning;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSink;
import dev.coxswain.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OtherSourcesTest {

  private final RecordingSink sink = new RecordingSink();

  @Test
  void channel_refusesWhileTheControllerDoesNotRun() {
    ChannelSource<Request> channel = new ChannelSource<>("orders");
    assertThat(offered(channel)).isEqualTo(new NotRunning());

    Await.get(channel.start(sink));
    assertThat(offered(channel)).isEqualTo(new Accepted());

    Await.get(channel.stop());
    assertThat(offered(channel)).isEqualTo(new NotRunning());
    assertThat(sink.added()).containsExactly("x 0 EVENT");
  }

  /** Its queue is closed while its sources still run: the request was acknowledged and dropped. */
  @Test
  void channel_refusesWhileTheControllerIsStopping() {
    ChannelSource<Request> channel = new ChannelSource<>("orders");
    Await.get(channel.start(sink));
    sink.stopping();

    assertThat(offered(channel)).isEqualTo(new NotRunning());
    assertThat(sink.added()).isEmpty();
  }

  @Test
  void channel_refusesWhileTheControllerIsTooFarBehind() {
    ChannelSource<Request> channel = new ChannelSource<>("orders");
    Await.get(channel.start(sink));

    sink.pending(EventSink.PENDING_HIGH_WATER);

    assertThat(offered(channel)).isEqualTo(new Busy());
  }

  @Test
  void channel_namesTheOwnerOfARequestOfAnotherReplica_andAddsNothing() {
    ChannelSource<Request> channel = new ChannelSource<>("orders");
    Await.get(channel.start(sink));
    sink.disown(Request.of("x"));

    assertThat(offered(channel)).isEqualTo(new Foreign(Optional.of("other")));
    assertThat(sink.added()).isEmpty();
  }

  @Test
  void periodic_addsOwnRequestsOnly_andItsFunctionCanLeaveOutTheOthers() {
    sink.disown(Request.of("y"));
    List<Boolean> owned = new CopyOnWriteArrayList<>();
    PeriodicSource<Request> source =
        PeriodicSource.ofOwned(
            "vendor",
            Duration.ofHours(1),
            mine -> {
              owned.add(mine.test(Request.of("x")));
              owned.add(mine.test(Request.of("y")));
              return List.of(Request.of("x"), Request.of("y"));
            });

    Await.get(source.start(sink));

    assertThat(sink.added()).containsExactly("x -100 INITIAL_LIST");
    assertThat(owned).containsExactly(true, false);
    Await.get(source.stop());
  }

  private static ChannelSource.Outcome offered(ChannelSource<Request> channel) {
    return Await.get(channel.offer(Request.of("x")));
  }

  @Test
  void periodic_isSyncedByItsFirstAnswer_andAsksAgain() {
    PeriodicSource<Request> source =
        new PeriodicSource<>("vendor", Duration.ofMillis(5), () -> List.of(Request.of("x")));

    Await.get(source.start(sink));

    Await.until("a second turn", () -> sink.added().size() >= 2);
    assertThat(sink.added()).startsWith("x -100 INITIAL_LIST", "x -100 RESYNC");
    Await.get(source.stop());
    int after = sink.added().size();
    assertThat(sink.added()).hasSize(after);
  }

  @Test
  void periodicFunctionThatThrows_isCountedAndAskedAgain() {
    AtomicInteger calls = new AtomicInteger();
    PeriodicSource<Request> source =
        new PeriodicSource<>(
            "vendor",
            Duration.ofMillis(5),
            () -> {
              if (calls.incrementAndGet() < 3) {
                throw new IOException("on purpose");
              }
              return List.of(Request.of("x"));
            });

    Await.get(source.start(sink));

    assertThat(source.failures()).isEqualTo(2);
    assertThat(sink.added()).first().isEqualTo("x -100 INITIAL_LIST");
    Await.get(source.stop());
  }

  @Test
  void sourcesThatWereNeverStarted_canBeStopped() {
    assertThat(new ChannelSource<>("c").stop().succeeded()).isTrue();
    assertThat(new PeriodicSource<Request>("p", Duration.ofSeconds(1), List::of).stop().succeeded())
        .isTrue();
  }
}
