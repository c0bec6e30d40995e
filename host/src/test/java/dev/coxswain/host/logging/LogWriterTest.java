// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.logging;

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

  private final Pipe pipe = new Pipe();
  private final LogWriter writer =
      new LogWriter(pipe, lines -> ("dropped " + lines + "\n").getBytes(UTF_8));

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
    Future<Void> record = writer.record(line("record"));
    assertThat(record.failed()).isTrue();
    pipe.open.countDown();
    writer.flush(LONG);
    assertThat(pipe.text()).contains("dropped 6\n").doesNotContain("record").endsWith("more\n");
    assertThat(pipe.text().lines().count()).isEqualTo(LogWriter.MAX_LINES + 2);
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
  }
}
