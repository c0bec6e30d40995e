// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Writes without an answer are counted by slot, also those that were given up. */
class SlotWritesTest {

  private final VirtualTime time = new VirtualTime();
  private final SlotWrites writes = new SlotWrites(time);

  @Test
  void anAnsweredWrite_isCountedUntilItsAnswer() {
    Consumer<Boolean> ended = writes.sending(1);
    assertThat(writes.unanswered(1)).isEqualTo(1);
    assertThat(writes.unanswered(2)).isZero();
    ended.accept(true);
    assertThat(writes.unanswered(1)).isZero();
  }

  @Test
  void aWriteThatWasGivenUp_staysWithTheTimeAtWhichItWas() {
    Consumer<Boolean> ended = writes.sending(1);
    time.advance(Duration.ofSeconds(3));
    long end = time.nanos();
    ended.accept(false);
    time.advance(Duration.ofSeconds(1));
    assertThat(writes.unanswered(1)).isEqualTo(1);
    assertThat(writes.lastUnanswered(1)).isEqualTo(end);

    writes.sending(1).accept(true);
    assertThat(writes.lastUnanswered(1)).as("an answered write changes nothing").isEqualTo(end);
  }

  @Test
  void aWriteInFlight_isNeverOver() {
    Consumer<Boolean> first = writes.sending(1);
    Consumer<Boolean> second = writes.sending(1);
    first.accept(false);
    time.advance(Duration.ofMinutes(1));
    assertThat(writes.lastUnanswered(1)).isEqualTo(time.nanos());
    second.accept(false);
    assertThat(writes.lastUnanswered(1)).isEqualTo(time.nanos());
  }
}
