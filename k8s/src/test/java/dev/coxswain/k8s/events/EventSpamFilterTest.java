// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EventSpamFilterTest {

  /** Not zero: a monotonic clock begins anywhere. */
  private static final long START = Long.MAX_VALUE - 5;

  private final EventSpamFilter limits =
      new EventSpamFilter(3, Duration.ofMinutes(5), 2, Duration.ofMinutes(10), 4);

  private long granted(Object object, int tries, long now) {
    return IntStream.range(0, tries).filter(i -> limits.tryTake(object, now)).count();
  }

  private static long after(Duration time) {
    return START + time.toNanos();
  }

  @Test
  void object_hasItsBurst_andThenOneForEveryPeriod() {
    assertThat(granted("x", 10, START)).isEqualTo(3);
    assertThat(granted("x", 10, after(Duration.ofMinutes(5).minusMillis(1)))).isZero();
    assertThat(granted("x", 10, after(Duration.ofMinutes(5)))).isEqualTo(1);
    assertThat(granted("x", 10, after(Duration.ofHours(9)))).isEqualTo(3);
  }

  @Test
  void objects_doNotTakeFromEachOther() {
    assertThat(granted("x", 10, START)).isEqualTo(3);
    assertThat(granted("y", 10, START)).isEqualTo(3);
  }

  @Test
  void objectsUsedLast_areRemembered_andNoMore() {
    granted("x", 3, START);
    for (int i = 0; i < 3; i++) {
      granted("other" + i, 1, START);
    }
    assertThat(granted("x", 3, START)).as("still remembered").isZero();

    for (int i = 0; i < 4; i++) {
      granted("another" + i, 1, START);
    }
    assertThat(granted("x", 3, START)).as("forgotten, begins anew").isEqualTo(3);
  }

  @Test
  void differentNotes_areToldApartUpToALimit_inTheirWindow() {
    assertThat(limits.countNote("x", START)).isTrue();
    assertThat(limits.countNote("x", START)).isTrue();
    assertThat(limits.countNote("x", START)).isFalse();
    assertThat(limits.countNote("y", START)).isTrue();
    assertThat(limits.countNote("x", after(Duration.ofMinutes(10)))).isFalse();
    assertThat(limits.countNote("x", after(Duration.ofMinutes(10).plusNanos(1)))).isTrue();
  }
}
