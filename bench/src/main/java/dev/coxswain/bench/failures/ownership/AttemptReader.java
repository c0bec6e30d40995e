// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.recorder.AttemptRecord;
import dev.coxswain.testing.report.RecordCodec;
import dev.coxswain.testing.report.Recordings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the recordings of all processes.
 */
final class AttemptReader {
  private static final String KIND = "records";

  private final Path folder;
  private final Recordings recordings = new Recordings();
  private final Map<String, Attempt> attempts = new HashMap<>();

  AttemptReader(Path folder) {
    this.folder = folder;
  }

  static Path file(Path folder, String process) {
    return Recordings.file(folder, KIND, process);
  }

  /** Returns all attempts so far in the order of their begins. A cut-off line is not read yet. */
  List<Attempt> all() throws IOException {
    recordings
        .next(folder, KIND)
        .forEach((process, lines) ->
            lines.forEach(line -> add(process, RecordCodec.parse(AttemptRecord.class, line))));
    return attempts.values().stream().sorted(Comparator.comparingLong(Attempt::begin)).toList();
  }

  private void add(String process, AttemptRecord line) {
    attempts.compute(process + "/" + line.attempt(), (_, before) -> merge(process, before, line));
  }

  /** Returns an attempt with one more record. */
  private static Attempt merge(String process, @Nullable Attempt before, AttemptRecord line) {
    boolean begin = line.event() == AttemptRecord.Event.BEGIN;
    boolean written = line.event() == AttemptRecord.Event.WRITTEN;
    boolean may = written || line.left() > 0;
    return new Attempt(
        process,
        line.attempt(),
        line.key(),
        line.epoch(),
        line.trigger(),
        before == null ? line.nanos() : before.begin(),
        begin || before == null ? line.value() : before.generation(),
        line.event() == AttemptRecord.Event.END ? line.nanos() : Attempt.RUNNING,
        may ? line.nanos() : before == null ? Attempt.NEVER : before.mayWrite(),
        written ? line.nanos() : before == null ? Attempt.NEVER : before.written(),
        written ? line.value() : before == null ? 0 : before.version(),
        line.event() == AttemptRecord.Event.REFUSED || (before != null && before.refused()));
  }
}
