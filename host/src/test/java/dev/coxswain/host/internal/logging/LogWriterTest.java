// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LogWriterTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  /** A pipe that takes nothing until it is opened, or fails. */
  private static final class Pipe extends OutputStream {
    private final CountDownLatch open = new CountDownLatch(1);
    private final CountDownLatch reached = new CountDownLatch(1);
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private volatile boolean broken;

    @Override
    public void write(int one) {
      throw new UnsupportedOperationException();
    }

    @Override
    public synchronized void write(byte[] text, int from, int length) throws IOException {
      reached.countDown();
      try {
        open.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      if (broken) {
        throw new IOException("Broken pipe");
      }
      taken.write(text, from, length);
    }

    synchronized String text() {
      return taken.toString(UTF_8);
    }
  }

  private final AtomicReference<Duration> now = new AtomicReference<>(Duration.ZERO);
  private final Pipe pipe = new Pipe();
  private final LogWriter writer =
      new LogWriter(
          pipe,
          lines -> line("dropped " + lines),
          records -> line("dropped records " + records),
          () -> now.get().toNanos());

  private static byte[] line(String text) {
    return (text + "\n").getBytes(UTF_8);
  }

  @Test
  void lines_areWrittenInOrder_andARecordCompletesWhenItIsWritten() {
    pipe.open.countDown();
    writer.write(line("one"));
    writer.record(line("two")).await();
    writer.write(line("three"));
    writer.flush(LONG);
    assertThat(pipe.text()).isEqualTo("one\ntwo\nthree\n");
    assertThat(writer.dropped()).isZero();
  }

  @Test
  void aPipeThatNobodyReads_blocksNoCaller_andWhatIsDroppedIsReportedLater() throws Exception {
    writer.write(line("first"));
    assertThat(pipe.reached.await(1, TimeUnit.MINUTES)).isTrue();
    for (int i = 0; i < LogWriter.MAX_LINES + 5; i++) {
      writer.write(line("more"));
    }
    assertThat(writer.dropped()).isEqualTo(5);
    pipe.open.countDown();
    writer.flush(LONG);
    assertThat(pipe.text()).contains("dropped 5\n").endsWith("more\n");
    assertThat(pipe.text().lines().count()).isEqualTo(LogWriter.MAX_LINES + 2);
  }

  /** Records shared the bound of ordinary lines: a full buffer had every change refused. */
  @Test
  void fullOfOrdinaryLines_recordsAreStillWritten_beforeLinesThatTheyHaveWaitedFor()
      throws Exception {
    fill();
    Future<Void> record = writer.record(line("record"));
    assertThat(record.isComplete()).isFalse();
    now.set(LogWriter.RECORD_PATIENCE);
    pipe.open.countDown();
    record.await();
    writer.flush(LONG);
    assertThat(pipe.text()).startsWith("first\ndropped 1\nrecord\nmore\n");
    assertThat(writer.dropped()).isEqualTo(1);
    assertThat(writer.droppedRecords()).isZero();
  }

  @Test
  void records_areBounded_andTheirDropsAreCountedAndReportedApart() throws Exception {
    fill();
    for (int i = 0; i < LogWriter.MAX_RECORDS; i++) {
      assertThat(writer.record(line("record")).failed()).isFalse();
    }
    assertThat(writer.record(line("too much")).failed()).isTrue();
    assertThat(writer.droppedRecords()).isEqualTo(1);
    assertThat(writer.dropped()).isEqualTo(1);
    pipe.open.countDown();
    writer.flush(LONG);
    assertThat(pipe.text()).contains("dropped 1\ndropped records 1\n").doesNotContain("too much");
    assertThat(pipe.text().lines().filter("record"::equals).count())
        .isEqualTo(LogWriter.MAX_RECORDS);
  }

  @Test
  void aRecordThatHasWaitedTooLong_fails_andIsCounted() throws Exception {
    fill();
    Future<Void> record = writer.record(line("record"));
    now.set(LogWriter.RECORD_LIMIT.plusNanos(1));
    pipe.open.countDown();
    writer.flush(LONG);
    assertThat(record.failed()).isTrue();
    assertThat(pipe.text()).contains("dropped records 1\n").doesNotContain("\nrecord\n");
    assertThat(writer.droppedRecords()).isEqualTo(1);
  }

  /** Has one line held by the pipe, as many wait as may, and one dropped. */
  private void fill() throws InterruptedException {
    writer.write(line("first"));
    assertThat(pipe.reached.await(1, TimeUnit.MINUTES)).isTrue();
    for (int i = 0; i <= LogWriter.MAX_LINES; i++) {
      writer.write(line("more"));
    }
  }

  @Test
  void whatWaits_isBoundedInBytes() throws Exception {
    writer.write(line("first"));
    assertThat(pipe.reached.await(1, TimeUnit.MINUTES)).isTrue();
    for (int i = 0; i < 10; i++) {
      writer.write(new byte[1024 * 1024]);
    }
    assertThat(writer.dropped()).isEqualTo(2);
    pipe.open.countDown();
  }

  @Test
  void aBrokenPipe_failsRecords_andCountsLines() {
    pipe.broken = true;
    pipe.open.countDown();
    assertThatThrownBy(() -> writer.record(line("record")).await()).hasMessage("Broken pipe");
    writer.write(line("lost"));
    writer.flush(LONG);
    assertThat(writer.dropped()).isEqualTo(1);
    assertThat(writer.droppedRecords()).isEqualTo(1);
  }
}
