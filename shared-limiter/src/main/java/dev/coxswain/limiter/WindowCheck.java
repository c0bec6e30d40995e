// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import dev.coxswain.retry.WindowChecker;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Checks recorded start times of many replicas against a cap: {@code FILE... --rate N --burst N}. A
 * file holds one time in nanoseconds a line, in any order, of a clock that all files share: {@link
 * System#nanoTime} of processes on one machine, or times brought to one clock by whoever recorded
 * them.
 *
 * <p>Thread rule: immutable.
 */
public final class WindowCheck {
  /** The cap was kept. */
  public static final int KEPT = 0;

  /** The cap was exceeded. */
  public static final int EXCEEDED = 1;

  /** The arguments or the files cannot be used. */
  public static final int USAGE = 2;

  private final long[] times;

  private WindowCheck(long[] times) {
    this.times = times;
  }

  /**
   * Reads files.
   *
   * @throws IOException when a file cannot be read
   * @throws IllegalArgumentException naming the file and line that holds no time
   */
  public static WindowCheck of(List<Path> files) throws IOException {
    long[] times = new long[1024];
    int count = 0;
    for (Path file : files) {
      int number = 0;
      for (String line : Files.readAllLines(file)) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        if (count == times.length) {
          times = Arrays.copyOf(times, count * 2);
        }
        try {
          times[count++] = Long.parseLong(line.strip());
        } catch (NumberFormatException e) {
          throw new IllegalArgumentException(
              file + ":" + number + ": expected a time in nanoseconds, found \"" + line + "\"", e);
        }
      }
    }
    times = Arrays.copyOf(times, count);
    Arrays.sort(times);
    return new WindowCheck(times);
  }

  /** Returns how many starts there are. */
  public int starts() {
    return times.length;
  }

  /** Returns the worst window. */
  public WindowChecker.Window worst(double rate, int burst) {
    return WindowChecker.worst(times, times.length, rate, burst);
  }

  /**
   * Runs the command.
   *
   * @param args its arguments
   * @param out where the result goes
   * @param err where complaints go
   * @return the exit code: {@link #KEPT}, {@link #EXCEEDED} or {@link #USAGE}
   */
  public static int run(List<String> args, PrintStream out, PrintStream err) {
    List<Path> files = new ArrayList<>();
    double rate = Double.NaN;
    int burst = -1;
    try {
      for (int i = 0; i < args.size(); i++) {
        String arg = args.get(i);
        if (arg.equals("--rate") && i + 1 < args.size()) {
          rate = Double.parseDouble(args.get(++i));
        } else if (arg.equals("--burst") && i + 1 < args.size()) {
          burst = Integer.parseInt(args.get(++i));
        } else if (arg.startsWith("-")) {
          throw new IllegalArgumentException("unknown or incomplete option " + arg);
        } else {
          files.add(Path.of(arg));
        }
      }
      if (files.isEmpty() || !(rate > 0) || burst < 0) {
        throw new IllegalArgumentException(
            "expected at least one file, --rate and --burst: limiter check FILE... --rate N --burst"
                + " N");
      }
      return print(WindowCheck.of(files), files.size(), rate, burst, out);
    } catch (IllegalArgumentException e) {
      err.println("limiter check: " + e.getMessage());
    } catch (IOException e) {
      err.println("limiter check: cannot read " + e.getMessage());
    }
    return USAGE;
  }

  private static int print(WindowCheck check, int files, double rate, int burst, PrintStream out) {
    WindowChecker.Window worst = check.worst(rate, burst);
    out.printf(Locale.ROOT, "starts: %d in %d files%n", check.starts(), files);
    if (check.starts() == 0) {
      return KEPT;
    }
    out.printf(
        Locale.ROOT,
        "worst window: %d starts in %.6f s, excess %.3f over %d + %s x T%n",
        worst.starts(),
        (worst.toNanos() - worst.fromNanos()) / 1e9,
        worst.excess(),
        burst,
        rate);
    out.println(worst.kept() ? "the cap was kept" : "THE CAP WAS EXCEEDED");
    return worst.kept() ? KEPT : EXCEEDED;
  }
}
