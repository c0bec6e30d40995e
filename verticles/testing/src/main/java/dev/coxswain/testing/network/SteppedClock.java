// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.network;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The wall clock of a process, which can be set while the process runs. Done with libfaketime,
 * which reads the offset from a file once a second; monotonic time stays as it is, as when the clock of a machine is set.
 *
 * <p>Thread rule: one thread.
 */
public final class SteppedClock {
  private static final List<String> PLACES =
      List.of(
          "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
          "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
          "/usr/lib64/faketime/libfaketime.so.1",
          "/usr/lib/faketime/libfaketime.so.1");

  private final Path offset;
  private final boolean used;

  private SteppedClock(Path offset, boolean used) {
    this.offset = offset;
    this.used = used;
  }

  /** Returns whether clocks can be stepped on this machine. */
  public static boolean possible() {
    return library().isPresent();
  }

  private static Optional<String> library() {
    return PLACES.stream().filter(place -> Files.exists(Path.of(place))).findFirst();
  }

  /** The system's clock as it is. */
  public static SteppedClock system() {
    return new SteppedClock(Path.of(""), false);
  }

  /** A clock with an offset of zero at first. */
  public static SteppedClock create(Path folder, String replica) throws IOException {
    SteppedClock clock = new SteppedClock(folder.resolve("clock-" + replica), true);
    clock.step(0);
    return clock;
  }

  public void applyTo(Map<String, String> environment) {
    if (used) {
      environment.put("LD_PRELOAD", library().orElseThrow());
      environment.put("FAKETIME_TIMESTAMP_FILE", offset.toString());
      environment.put("FAKETIME_CACHE_DURATION", "1");
      // Both are needed, or timed waits of the JVM return at once.
      environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
      environment.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }
  }

  /** Sets the clock to the system's plus an offset. */
  public void step(int seconds) throws IOException {
    Path next = offset.resolveSibling(offset.getFileName() + ".next");
    Files.writeString(next, (seconds < 0 ? "" : "+") + seconds + "\n");
    Files.move(next, offset, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
