// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.logging;

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
import org.jspecify.annotations.Nullable;

/**
 * Writes lines to a stream on a thread of its own, so a stream that nobody reads, such as a full
 * pipe, blocks that thread alone. What waits is bounded in lines and in bytes; further lines are
 * dropped and counted, and the next line that can be written reports how many.
 *
 * <p>Thread rule: any thread; no method but {@link #flush} blocks.
 */
final class LogWriter {

  static final int MAX_LINES = 8192;
  static final long MAX_BYTES = 8L * 1024 * 1024;

  /** A record that was not begun by then is not written: its change is refused by then. */
  static final Duration RECORD_LIMIT = Duration.ofSeconds(1);

  private final OutputStream out;
  private final LongFunction<byte[]> dropReport;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Line> waiting = new ArrayDeque<>();
  private long bytes;
  private boolean writing;
  private long unreported;
  private final AtomicLong dropped = new AtomicLong();

  @SuppressWarnings("ArrayRecordComponent") // never compared, and never leaves this class
  private record Line(byte[] text, long at, @Nullable Promise<Void> written) {}

  /**
   * Creates a writer and starts its thread.
   *
   * @param out where lines go; each write must reach the operating system
   * @param dropReport makes the line that reports how many were dropped
   */
  LogWriter(OutputStream out, LongFunction<byte[]> dropReport) {
    this.out = out;
    this.dropReport = dropReport;
    Thread.ofPlatform().name("log-writer").daemon().start(this::run);
  }

  /** Writes a line some time later, or drops it. */
  void write(byte[] text) {
    add(new Line(text, System.nanoTime(), null));
  }

  /** Writes a record; the future fails when it was not written, on the thread of the writer. */
  Future<Void> record(byte[] text) {
    Promise<Void> written = Promise.promise();
    if (!add(new Line(text, System.nanoTime(), written))) {
      return Future.failedFuture("too many lines wait to be written");
    }
    return written.future();
  }

  /** Returns how many lines were dropped or could not be written. */
  long dropped() {
    return dropped.get();
  }

  /** Waits until all lines are written, but not for longer than this. */
  void flush(Duration limit) {
    long left = limit.toNanos();
    lock.lock();
    try {
      while ((writing || !waiting.isEmpty()) && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private boolean add(Line line) {
    lock.lock();
    try {
      if (waiting.size() >= MAX_LINES || bytes + line.text().length > MAX_BYTES) {
        drop();
        return false;
      }
      waiting.add(line);
      bytes += line.text().length;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Counts a lost line; with the lock. */
  private void drop() {
    unreported++;
    dropped.incrementAndGet();
  }

  private void run() {
    while (true) {
      Line line = next();
      if (line != null) {
        write(line);
      }
    }
  }

  /** Returns the next line, which may be the report of dropped ones; waits for it. */
  private @Nullable Line next() {
    lock.lock();
    try {
      writing = false;
      changed.signalAll();
      while (waiting.isEmpty()) {
        changed.await();
      }
      writing = true;
      Line line = waiting.remove();
      bytes -= line.text().length;
      return line;
    } catch (InterruptedException e) {
      return null; // this thread is nobody's to interrupt
    } finally {
      lock.unlock();
    }
  }

  private void write(Line line) {
    Promise<Void> written = line.written();
    if (written != null && System.nanoTime() - line.at() > RECORD_LIMIT.toNanos()) {
      written.fail("it waited too long to be written");
      return;
    }
    try {
      long lost = takeUnreported();
      if (lost > 0) {
        writeReport(lost);
      }
      out.write(line.text());
      out.flush();
    } catch (IOException | RuntimeException e) {
      failed(written, e);
      return;
    }
    if (written != null) {
      written.complete();
    }
  }

  private void writeReport(long lost) throws IOException {
    try {
      out.write(dropReport.apply(lost));
    } catch (IOException | RuntimeException e) {
      lock.lock();
      try {
        unreported += lost;
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  private long takeUnreported() {
    lock.lock();
    try {
      long lost = unreported;
      unreported = 0;
      return lost;
    } finally {
      lock.unlock();
    }
  }

  private void failed(@Nullable Promise<Void> written, Exception cause) {
    if (written != null) {
      written.fail(cause);
      return;
    }
    lock.lock();
    try {
      drop();
    } finally {
      lock.unlock();
    }
  }
}
