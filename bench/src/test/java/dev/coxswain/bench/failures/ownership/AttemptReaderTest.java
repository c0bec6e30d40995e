// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.failures.recorder.AttemptRecord;
import dev.coxswain.bench.failures.recorder.AttemptRecord.Event;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testing.report.RecordCodec;
import dev.coxswain.testing.report.RecordLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttemptReaderTest {
  @TempDir private Path folder;

  @Test
  void theRecordsOfAnAttempt_areOneAttempt_alsoWhenTheyComeInPieces() throws Exception {
    AttemptReader reader = new AttemptReader(folder);
    RecordLog log = RecordLog.open(AttemptReader.file(folder, "r0-1"));
    log.append(line(Event.BEGIN, 10, 3, 9_000));
    Attempt running = reader.all().getFirst();
    assertThat(running.process()).isEqualTo("r0-1");
    assertThat(List.of(running.begin(), running.generation(), running.mayWrite(), running.end()))
        .containsExactly(10L, 3L, 10L, Attempt.RUNNING);
    log.append(line(Event.WRITTEN, 20, 77, 0));
    log.append(line(Event.END, 30, 0, 0));
    Attempt ended = reader.all().getFirst();
    assertThat(List.of(ended.written(), ended.version(), ended.mayWrite(), ended.end()))
        .as("an acknowledged write was permitted; nothing after it was")
        .containsExactly(20L, 77L, 20L, 30L);
    assertThat(ended.generation()).isEqualTo(3);
  }

  @Test
  void withoutALimit_onlyAnAcknowledgedWriteProvesThatItWasPermitted() throws Exception {
    RecordLog log = RecordLog.open(AttemptReader.file(folder, "r0-1"));
    log.append(line(Event.BEGIN, 10, 3, -1));
    log.append(line(Event.REFUSED, 20, 0, -1));
    log.append(line(Event.END, 30, 0, -1));
    Attempt attempt = new AttemptReader(folder).all().getFirst();
    assertThat(attempt.mayWrite()).isEqualTo(Attempt.NEVER);
    assertThat(attempt.refused()).isTrue();
  }

  @Test
  void anInterrupt_asOfACancelledAttempt_doesNotEndTheRecording() throws Exception {
    RecordLog log = RecordLog.open(AttemptReader.file(folder, "r0-1"));
    Thread.currentThread().interrupt();
    log.append(line(Event.BEGIN, 10, 3, 0));
    assertThat(Thread.interrupted()).isTrue();
    log.append(line(Event.END, 20, 0, 0));
    assertThat(new AttemptReader(folder).all().getFirst().end()).isEqualTo(20);
  }

  @Test
  void aLineThatWasCutOff_isReadWhenItIsWhole() throws Exception {
    Path file = AttemptReader.file(folder, "r0-1");
    String line = line(Event.BEGIN, 10, 3, 0);
    Files.writeString(file, line.substring(0, 5));
    AttemptReader reader = new AttemptReader(folder);
    assertThat(reader.all()).isEmpty();
    Files.writeString(file, line.substring(5) + "\n", StandardOpenOption.APPEND);
    assertThat(reader.all()).hasSize(1);
  }

  private static String line(Event event, long nanos, long value, long left) {
    return RecordCodec.line(new AttemptRecord(event, nanos, "a", 1, 4, Trigger.EVENT, value, left));
  }
}
