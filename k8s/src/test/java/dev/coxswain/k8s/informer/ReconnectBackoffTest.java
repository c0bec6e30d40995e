// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ReconnectBackoffTest {

  private long now = Long.MAX_VALUE - 1_000;
  private long answers;
  private Runnable probe = () -> {};

  private final Clock clock =
      new Clock() {
        @Override
        public long nanos() {
          return now;
        }

        @Override
        public Instant instant() {
          return Instant.EPOCH;
        }
      };

  private final ReconnectBackoff backoff =
      new ReconnectBackoff(
          CacheOptions.DEFAULT, clock, new SplittableRandom(7), () -> answers, () -> probe.run());

  private final CountDownLatch stop = new CountDownLatch(1);

  @Test
  @Timeout(60)
  void afterAnOutage_theFirstAnswer_endsTheWait() throws InterruptedException {
    backoff.next();
    backoff.next(); // nothing was answered in between
    answers++;
    backoff.await(Duration.ofHours(1), stop);
  }

  /** Nothing else of the process may send requests. */
  @Test
  @Timeout(60)
  void inAnOutage_requestsAreSent_thatShowItsEnd() throws InterruptedException {
    backoff.next();
    backoff.next();
    int[] sent = {0};
    probe =
        () -> {
          if (++sent[0] == 3) {
            answers++;
          }
        };
    backoff.await(Duration.ofHours(1), stop);
    assertThat(sent[0]).isEqualTo(3);
  }

  @Test
  void whenOtherRequestsAreAnswered_theWaitIsWhole() throws InterruptedException {
    backoff.next();
    answers++;
    backoff.next();
    answers++;
    assertThat(waited(Duration.ofMillis(60))).isGreaterThanOrEqualTo(Duration.ofMillis(60));
    backoff.next();
    backoff.next();
    backoff.whole();
    answers++;
    assertThat(waited(Duration.ofMillis(60))).isGreaterThanOrEqualTo(Duration.ofMillis(60));
  }

  private Duration waited(Duration time) throws InterruptedException {
    long begun = System.nanoTime();
    backoff.await(time, stop);
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  @Test
  void waitsGrowFromPoint8To30Seconds_withJitterBetweenHalfAndAll() {
    long[] nominal = {800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000};
    for (long millis : nominal) {
      Duration wait = backoff.next();
      assertThat(wait).isBetween(Duration.ofMillis(millis / 2), Duration.ofMillis(millis));
      now += wait.toNanos();
    }
  }

  /** A server that has just started refuses the first requests: that is no failure of before. */
  @Test
  void anOutageThatHasEnded_startsFromTheBeginning() {
    for (int i = 0; i < 10; i++) {
      now += backoff.next().toNanos(); // nothing is answered
    }
    answers++; // the server refuses a watch
    assertThat(backoff.next()).isBetween(Duration.ofMillis(400), Duration.ofMillis(800));
    answers++;
    assertThat(backoff.next()).isBetween(Duration.ofMillis(800), Duration.ofMillis(1_600));
  }

  /** It answers before it has read its roles, and before the stores of custom kinds are ready. */
  @Test
  void aServerThatStarts_isTriedEachSecond_forHalfAMinute() {
    for (int i = 0; i < 10; i++) {
      now += backoff.next().toNanos(); // nothing is answered
    }
    long up = now;
    while (now - up < Duration.ofSeconds(29).toNanos()) {
      answers++;
      Duration wait = backoff.next();
      assertThat(wait).isBetween(Duration.ofMillis(400), Duration.ofSeconds(1));
      now += wait.toNanos();
    }
    for (long millis : new long[] {1_600, 3_200, 6_400}) {
      now += Duration.ofSeconds(1).toNanos();
      answers++;
      assertThat(backoff.next())
          .isBetween(Duration.ofMillis(millis / 2), Duration.ofMillis(millis));
    }
  }

  @Test
  void aQuietWhile_startsFromTheBeginning() {
    for (int i = 0; i < 10; i++) {
      now += backoff.next().toNanos();
    }
    now += Duration.ofMinutes(2).toNanos();

    assertThat(backoff.next()).isBetween(Duration.ofMillis(400), Duration.ofMillis(800));
  }

  @Test
  void tenThousandFailures_stayAtTheMaximum() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(backoff.next()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(30));
    }
  }
}
