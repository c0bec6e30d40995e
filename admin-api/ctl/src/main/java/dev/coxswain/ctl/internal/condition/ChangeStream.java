// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.condition;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.ProblemException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The event stream as a signal: something has changed, so it is time to read again. What is in an
 * event does not count, because it has some fields of one replica only.
 *
 * <p>Thread rule: the main thread; lines are read by a virtual thread, which ends with the stream
 * or the process.
 */
final class ChangeStream {

  /** Three times the heartbeat interval of the server. */
  private static final Duration SILENCE = Duration.ofSeconds(45);

  private final Semaphore changes = new Semaphore(0);
  private volatile boolean open; // false after the end of the stream, also when it never began

  /** Opens a stream; without the right to it, or when there are too many, it is closed at once. */
  static ChangeStream open(AdminClient client, Map<String, String> parameters) {
    ChangeStream stream = new ChangeStream();
    try {
      InputStream in =
          client.open(
              AdminClient.path("events") + AdminClient.query(parameters),
              "text/event-stream",
              Map.of(),
              SILENCE);
      stream.open = true;
      Thread.ofVirtual().name("changes").start(() -> stream.read(in));
    } catch (IOException | ProblemException | CommandException e) {
      // The caller polls instead.
    }
    return stream;
  }

  private void read(InputStream in) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("event:")) {
          changes.release();
        }
      }
    } catch (IOException e) {
      // Ends as a stream that is complete does.
    } finally {
      open = false;
      changes.release();
    }
  }

  boolean isOpen() {
    return open;
  }

  /** Waits for a change at most this long; changes before are one change. */
  void await(Duration atMost) {
    try {
      if (changes.tryAcquire(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        changes.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted", e);
    }
  }
}
