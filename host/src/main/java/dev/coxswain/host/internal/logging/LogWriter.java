// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A writer of lines on a thread of its own, so that a blocked stream, such as a full pipe, blocks
 * only that thread. The buffer is bounded in lines and in bytes; further lines are dropped and
 * counted, and the next written line reports their number.
 *
 * <p>Audit records have bounds, counts and reports of their own: a full buffer of lines does not
 * cause dropped records. They are written in the order in which they came, except that a record
 * that has waited for {@link #RECORD_PATIENCE} is written before older lines.
 *
 * <p>Thread rule: any thread; no method but {@link #flush} blocks.
 */
final class LogWriter {

  static final int MAX_LINES = 8192;
  static final long MAX_BYTES = 8L * 1024 * 1024;

  static final int MAX_RECORDS = 1024;
  static final long MAX_RECORD_BYTES = 2L * 1024 * 1024;

  /** The wait after which a record is written before older lines. */
  static final Duration RECORD_PATIENCE = Duration.ofMillis(100);

  /** The wait after which a record is dropped, because its change has been refused. */
  static final Duration RECORD_LIMIT = Duration.ofSeconds(1);

  private final OutputStream out;
  private final LongSupplier nanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Buffer lines;
  private final Buffer records;
  private boolean writing;

  @SuppressWarnings("ArrayRecordComponent") // never compared, and never leaves this class
  private record Line(byte[] text, long at, @Nullable Promise<Void> written) {}

  /** Waiting lines, and the number of dropped ones; guarded by the lock. */
  private static final class Buffer {
    private final int most;
    private final long mostBytes;
    private final LongFunction<byte[]> dropReport;
    private final ArrayDeque<Line> waiting = new ArrayDeque<>();
    private final AtomicLong dropped = new AtomicLong(); // read without the lock
    private long bytes;
    private long unreported;

    Buffer(int most, long mostBytes, LongFunction<byte[]> dropReport) {
      this.most = most;
      this.mostBytes = mostBytes;
      this.dropReport = dropReport;
    }

    boolean add(Line line) {
      if (waiting.size() >= most || bytes + line.text().length > mostBytes) {
        drop();
        return false;
      }
      waiting.add(line);
      bytes += line.text().length;
      return true;
    }

    Line take() {
      Line line = waiting.remove();
      bytes -= line.text().length;
      return line;
    }

    void drop() {
      unreported++;
      dropped.incrementAndGet();
    }
  }

  /**
   * Creates a writer and starts its thread.
   *
   * @param out the output; each write must reach the operating system
   * @param lineReport makes the line that reports how many lines were dropped
   * @param recordReport makes the line that reports how many records were dropped
   * @param nanos the time in nanoseconds; any thread
   */
  LogWriter(
      OutputStream out,
      LongFunction<byte[]> lineReport,
      LongFunction<byte[]> recordReport,
      LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
    this.lines = new Buffer(MAX_LINES, MAX_BYTES, lineReport);
    this.records = new Buffer(MAX_RECORDS, MAX_RECORD_BYTES, recordReport);
    Thread.ofPlatform().name("log-writer").daemon().start(this::run);
  }

  /** Queues a line, or drops it. */
  void write(byte[] text) {
    add(lines, new Line(text, nanos.getAsLong(), null));
  }

  /** Writes a record; the future fails when it was not written, on the thread of the writer. */
  Future<Void> record(byte[] text) {
    Promise<Void> written = Promise.promise();
    if (!add(records, new Line(text, nanos.getAsLong(), written))) {
      return Future.failedFuture("too many waiting records");
    }
    return written.future();
  }

  /** Returns the number of lines that were dropped or could not be written. */
  long dropped() {
    return lines.dropped.get();
  }

  /** Returns the number of records that were dropped or could not be written. */
  long droppedRecords() {
    return records.dropped.get();
  }

  /** Waits until all lines are written, within a limit. */
  void flush(Duration limit) {
    long left = limit.toNanos();
    lock.lock();
    try {
      while ((writing || !isEmpty()) && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private boolean add(Buffer buffer, Line line) {
    lock.lock();
    try {
      boolean added = buffer.add(line);
      changed.signalAll();
      return added;
    } finally {
      lock.unlock();
    }
  }

  private boolean isEmpty() {
    return lines.waiting.isEmpty() && records.waiting.isEmpty();
  }

  private void run() {
    while (true) {
      Line line = next();
      if (line != null) {
        write(line);
      }
    }
  }

  /** Returns the next line or record; waits for it. */
  private @Nullable Line next() {
    lock.lock();
    try {
      writing = false;
      changed.signalAll();
      while (isEmpty()) {
        changed.await();
      }
      writing = true;
      return (recordIsNext() ? records : lines).take();
    } catch (InterruptedException e) {
      return null; // this thread is not interrupted
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether a record is older than all lines, or has waited too long; with the lock. */
  private boolean recordIsNext() {
    Line record = records.waiting.peek();
    Line line = lines.waiting.peek();
    return record != null
        && (line == null
            || record.at() - line.at() < 0
            || nanos.getAsLong() - record.at() >= RECORD_PATIENCE.toNanos());
  }

  private void write(Line line) {
    Promise<Void> written = line.written();
    if (written != null && nanos.getAsLong() - line.at() > RECORD_LIMIT.toNanos()) {
      drop(records);
      written.fail("waited too long to be written");
      return;
    }
    try {
      report(lines);
      report(records);
      out.write(line.text());
      out.flush();
    } catch (IOException | RuntimeException e) {
      drop(written == null ? lines : records);
      if (written != null) {
        written.fail(e);
      }
      return;
    }
    if (written != null) {
      written.complete();
    }
  }

  private void report(Buffer buffer) throws IOException {
    long lost = takeUnreported(buffer);
    if (lost == 0) {
      return;
    }
    try {
      out.write(buffer.dropReport.apply(lost));
    } catch (IOException | RuntimeException e) {
      lock.lock();
      try {
        buffer.unreported += lost;
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  private long takeUnreported(Buffer buffer) {
    lock.lock();
    try {
      long lost = buffer.unreported;
      buffer.unreported = 0;
      return lost;
    } finally {
      lock.unlock();
    }
  }

  private void drop(Buffer buffer) {
    lock.lock();
    try {
      buffer.drop();
    } finally {
      lock.unlock();
    }
  }
}
