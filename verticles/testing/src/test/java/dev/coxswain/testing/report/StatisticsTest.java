// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of samples, and what a measured process reports. */
class StatisticsTest {
  /** One component of each kind. */
  @SuppressWarnings("ArrayRecordComponent") // compared by its components below
  record Sample(String name, TimeUnit unit, int count, long nanos, double rate, long[] starts) {}

  @Test
  void theMedian_isTheMiddle_orTheMeanOfBothInTheMiddle_orNoNumber() {
    assertThat(Statistics.median(List.of(9.0, 1.0, 4.0))).isEqualTo(4);
    assertThat(Statistics.median(List.of(9.0, 1.0, 4.0, 6.0))).isEqualTo(5);
    assertThat(Statistics.median(List.of())).isNaN();
    assertThat(Statistics.median(List.of("a", "bb", "ccc"), String::length)).isEqualTo(2);
  }

  @Test
  void aPercentile_isTheValueThatItsShareDoesNotExceed() {
    long[] hundred = java.util.stream.LongStream.rangeClosed(1, 100).toArray();
    assertThat(Statistics.percentile(hundred, 0.5)).isEqualTo(50);
    assertThat(Statistics.percentile(hundred, 0.99)).isEqualTo(99);
    assertThat(Statistics.percentile(hundred, 1)).isEqualTo(100);
    assertThat(Statistics.percentile(new long[] {7}, 0)).isEqualTo(7);
    assertThat(Statistics.percentile(new long[0], 0.5)).isNaN();
  }

  @Test
  void aReport_isReadAsItWasWritten() {
    Sample sample = new Sample("a b", TimeUnit.DAYS, 3, 1L << 40, 0.1, new long[] {1, 2});
    Sample read = RecordCodec.parse(Sample.class, RecordCodec.line(sample));
    assertThat(read).usingRecursiveComparison().isEqualTo(sample);
    Sample none = new Sample("", TimeUnit.DAYS, 0, 0, -1, new long[0]);
    assertThat(RecordCodec.parse(Sample.class, RecordCodec.line(none)))
        .usingRecursiveComparison()
        .isEqualTo(none);
    assertThatThrownBy(() -> RecordCodec.parse(Sample.class, "ready"))
        .hasMessage("not a Sample: ready");
  }
}
