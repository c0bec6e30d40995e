// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.retry.WindowChecker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code coxswain limiter}: checks recorded starts of retries against the cap. */
final class LimiterCommand {

  private static final List<String> ACTIONS = List.of("check");
  private static final Flag RATE = Flag.of("--rate", "R", "");
  private static final Flag BURST = Flag.of("--burst", "B", "");
  private static final int FIRST_SIZE = 1024;
  private static final double NANOS_PER_SECOND = 1e9;

  private LimiterCommand() {}

  static int run(List<String> arguments, PrintStream out) throws HostException {
    Arguments parsed = Arguments.parse(arguments, List.of(RATE, BURST));
    String action = parsed.words().isEmpty() ? "" : parsed.words().getFirst();
    if (!action.equals("check")) {
      throw new CommandException("limiter needs an action, " + Suggestions.of(action, ACTIONS));
    }
    List<String> files = parsed.words().subList(1, parsed.words().size());
    if (files.isEmpty()) {
      throw new CommandException(
          "limiter check needs files: coxswain limiter check FILE... --rate R --burst B");
    }
    double rate = positive(parsed, RATE);
    double burst = positive(parsed, BURST);
    if (burst != Math.rint(burst) || burst > Integer.MAX_VALUE) {
      throw new CommandException("flag --burst: expected a whole number, found " + burst);
    }
    long[] starts = read(files);
    WindowChecker.Window worst = WindowChecker.worst(starts, starts.length, rate, (int) burst);
    out.println(shown(starts.length, files.size(), worst));
    return worst.kept() ? CommandLine.OK : CommandLine.FAILED;
  }

  private static String shown(int starts, int files, WindowChecker.Window worst) {
    String all = starts + " starts in " + files + (files == 1 ? " file" : " files");
    if (starts == 0) {
      return all + ": nothing to check";
    }
    return String.format(
        Locale.ROOT,
        "%s: the cap was %s; the worst window has %d starts in %.3f s, %.3f %s",
        all,
        worst.kept() ? "kept" : "EXCEEDED",
        worst.starts(),
        (worst.toNanos() - worst.fromNanos()) / NANOS_PER_SECOND,
        Math.abs(worst.excess()),
        worst.kept() ? "below the cap" : "above the cap");
  }

  private static double positive(Arguments parsed, Flag flag) {
    String text = parsed.value(flag);
    if (text == null) {
      throw new CommandException("limiter check needs " + flag.name());
    }
    try {
      double value = Double.parseDouble(text);
      if (value > 0 && value < Double.POSITIVE_INFINITY) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below, together with numbers that are not positive
    }
    throw new CommandException(
        "flag %s: expected a number above 0, found \"%s\"".formatted(flag.name(), text));
  }

  private static long[] read(List<String> files) throws HostException {
    long[] starts = new long[FIRST_SIZE];
    int count = 0;
    for (String file : files) {
      int number = 0;
      try (BufferedReader reader = Files.newBufferedReader(Path.of(file))) {
        @Nullable String line;
        while ((line = reader.readLine()) != null) {
          number++;
          String first = line.strip().split("\\s", 2)[0];
          if (first.isEmpty() || first.startsWith("#")) {
            continue;
          }
          if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
          }
          starts[count++] = Long.parseLong(first);
        }
      } catch (NumberFormatException e) {
        throw new HostException(
            file + ":" + number + ": expected a time in whole nanoseconds as the first word", e);
      } catch (NoSuchFileException e) {
        throw new HostException(file + ": no such file", e);
      } catch (CharacterCodingException e) {
        throw new HostException(file + ": not UTF-8 text", e);
      } catch (IOException e) {
        throw new HostException(file + ": cannot be read: " + e.getMessage(), e);
      }
    }
    long[] sorted = Arrays.copyOf(starts, count);
    Arrays.sort(sorted);
    return sorted;
  }
}
