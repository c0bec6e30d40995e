// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.jvm;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Durations;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.lifecycle.HostException;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How long the work of a command may make no progress before it fails: a step that ends is progress, as is
 * the processor time of another program. A busy machine takes long for all of it, and makes progress.
 *
 * <p>Thread rule: immutable; waits block.
 *
 * @param length the limit, positive
 */
public record StallLimit(Duration length) {

  /** The option of the commands that wait. */
  public static final Flag FLAG = Flag.of("--stall-limit", "DURATION", "");

  /** The environment variable for all of them. */
  public static final String VARIABLE = "COXSWAIN_STALL_LIMIT";

  /** The limit when neither is set. */
  public static final Duration DEFAULT = Duration.ofMinutes(5);

  private static final Duration LOOK = Duration.ofMillis(100);

  /** A process has worked when it had a fiftieth of a processor: one that waits has less. */
  private static final int WORK_SHARE = 50;

  public StallLimit {
    if (!length.isPositive()) {
      throw new IllegalArgumentException("a limit must be positive, is " + length);
    }
  }

  /**
   * Returns the limit of a command line and of the environment.
   *
   * @throws CommandException when one of them is not a positive duration
   */
  public static StallLimit of(Arguments arguments) {
    return new StallLimit(arguments.duration(FLAG, ofVariable(System.getenv(VARIABLE))));
  }

  static Duration ofVariable(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return DEFAULT;
    }
    return Durations.parse(text.strip())
        .filter(Duration::isPositive)
        .orElseThrow(() ->
            new CommandException(
                "variable %s: expected a duration such as 30s or 10m, found \"%s\""
                    .formatted(VARIABLE, text)));
  }

  /** Returns the option for a command that this one starts. */
  public List<String> arguments() {
    return List.of(FLAG.name(), length.toMillis() + "ms");
  }

  /** Returns the failure of work that has stood still for this long. */
  public HostException exceeded(String what) {
    return new HostException(
        "%s made no progress for %s; %s or %s sets another limit"
            .formatted(what, shown(), FLAG.name(), VARIABLE));
  }

  /** Returns the limit for a socket, in milliseconds. */
  public int millis() {
    return (int) Math.min(Integer.MAX_VALUE, length.toMillis());
  }

  private String shown() {
    return length.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
  }

  /**
   * Waits for one step.
   *
   * @param what the subject of the message when it does not end
   * @throws HostException after the limit
   * @throws Exception what the future has failed with
   */
  public <T> T await(String what, Future<T> step) throws Exception {
    try {
      return step.await(length.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      if (step.isComplete()) {
        throw e; // its own failure
      }
      throw exceeded(what);
    }
  }

  /**
   * Waits for the end of a process as long as it or one that it has started works.
   *
   * @return whether it has ended; otherwise it still runs, and has done nothing for this long
   */
  public boolean awaitEnd(Process process) throws InterruptedException {
    Duration work = length.dividedBy(WORK_SHARE);
    Duration before = processorTime(process);
    long since = System.nanoTime();
    while (!process.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
      Duration now = processorTime(process);
      // Less than before when one that it had started has ended.
      if (now.minus(before).abs().compareTo(work) >= 0) {
        before = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > length.toNanos()) {
        return false;
      }
    }
    return true;
  }

  private static Duration processorTime(Process process) {
    try (Stream<ProcessHandle> children = process.descendants()) {
      return Stream.concat(Stream.of(process.toHandle()), children)
          .map(one -> one.info().totalCpuDuration().orElse(Duration.ZERO))
          .reduce(Duration.ZERO, Duration::plus);
    }
  }
}
