// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

import dev.coxswain.host.internal.ReplicaReport;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.dev.DevSession;
import dev.coxswain.host.internal.dev.drill.herd.HerdFailure;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One drill in a running session: makes the objects, waits for their failures, kills a replica, and
 * follows what the reader does.
 *
 * <p>Thread rule: one thread, which is blocked; standard input is read on another one.
 */
final class DrillRun {

  /** A read takes three or four requests, of about 25 a second that a caller may send. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private static final Duration LAST_LOOK = Duration.ofMinutes(30);

  /** Typed lines that wait; more are read later. */
  private static final int MOST_LINES = 16;

  private final DevSession session;
  private final DevSession.Report report;
  private final HerdPlan herd;
  private final DrillOutput output;
  private final StallLimit stallLimit;
  private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MOST_LINES);
  private volatile boolean inputEnded;

  DrillRun(
      DevSession session,
      DevSession.Report report,
      HerdPlan herd,
      DrillOutput output,
      StallLimit stallLimit) {
    this.session = session;
    this.report = report;
    this.herd = herd;
    this.output = output;
    this.stallLimit = stallLimit;
  }

  /**
   * Runs it.
   *
   * @param atOnce whether to begin without a line of the standard input
   * @param limit how long the reader has
   * @param dead the replica to kill
   * @return the exit code
   */
  int run(boolean atOnce, Duration limit, String dead) throws HostException {
    try (DrillClient client =
        new DrillClient(
            report.replicas().getFirst().admin(), report.adminToken(), report.apiServer())) {
      if (!output.json()) {
        output.say("Waiting until the objects have failed...");
      }
      DrillState begin = awaitFailures(client);
      output.ready(report, herd);
      Thread.ofPlatform().daemon().name("input").start(this::readInput);
      if (!atOnce) {
        output.say("\nPress Enter to begin.");
        if (!awaitEnter()) {
          return CommandLine.FAILED;
        }
      }
      session.kill(dead);
      output.begun();
      Set<String> names =
          report.replicas().stream().map(ReplicaReport::name).collect(Collectors.toSet());
      return follow(client, new DrillProgress(begin, dead, names), limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HostException("the drill was interrupted", e);
    }
  }

  private DrillState awaitFailures(DrillClient client) throws HostException, InterruptedException {
    long last = -1;
    long since = System.nanoTime();
    while (true) {
      DrillState state = tryRead(client);
      long failing = state == null ? -1 : state.failing();
      if (state != null
          && !state.degraded()
          && failing >= herd.failing()
          && state.causes().size() >= HerdFailure.values().length) {
        return state;
      }
      if (failing != last) {
        last = failing;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > stallLimit.length().toNanos()) {
        throw stallLimit.exceeded(
            "the first attempts (%d of %d have failed)".formatted(failing, herd.failing()));
      }
      TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
    }
  }

  private int follow(DrillClient client, DrillProgress progress, Duration limit)
      throws HostException, InterruptedException {
    long begun = System.nanoTime();
    long answered = begun;
    Duration lastTask = Duration.ZERO;
    while (true) {
      String line = lines.poll(LOOK.toNanos(), TimeUnit.NANOSECONDS);
      Duration now = Duration.ofNanos(System.nanoTime() - begun);
      if (line != null && command(line, progress)) {
        return CommandLine.FAILED;
      }
      if (line != null && !isCommand(line)) {
        lastTask = print(progress.typed(line), now, lastTask);
      }
      DrillState state = tryRead(client);
      if (state != null) {
        answered = System.nanoTime();
        lastTask = print(progress.observed(state), now, lastTask);
      } else if (System.nanoTime() - answered > stallLimit.length().toNanos()) {
        throw stallLimit.exceeded("the admin API");
      }
      if (inputEnded && progress.open().equals(Set.of(DrillTask.REPLICA))) {
        progress.skip(DrillTask.REPLICA);
        output.say(
            "The standard input has ended, so the name of the dead replica cannot be typed.");
      }
      if (progress.healed()) {
        output.ended(lastTask, now, progress.skipped());
        if (!output.json() && !inputEnded) {
          output.say("\nLook around, such as at the timeline. Press Enter to end everything.");
          lines.clear();
          long end = System.nanoTime() + LAST_LOOK.toNanos();
          while (!inputEnded
              && System.nanoTime() < end
              && lines.poll(LOOK.toNanos(), TimeUnit.NANOSECONDS) == null) {
            // The reader looks around.
          }
        }
        return progress.skipped().isEmpty() ? CommandLine.OK : CommandLine.FAILED;
      }
      if (now.compareTo(limit) > 0) {
        output.say("The time is over. Left:");
        output.tasks(progress.open());
        return CommandLine.FAILED;
      }
    }
  }

  private Duration print(DrillProgress.Step step, Duration now, Duration before) {
    step.done().forEach(task -> output.done(task, now));
    step.remarks().forEach(output::say);
    return step.done().isEmpty() ? before : now;
  }

  private static boolean isCommand(String line) {
    return Set.of("", "hint", "tasks", "quit").contains(line.strip());
  }

  /** Obeys a command; returns whether it ends the drill. */
  private boolean command(String line, DrillProgress progress) {
    switch (line.strip()) {
      case "hint" ->
          output.say(
              progress.open().stream()
                  .findFirst()
                  .map(DrillTask::hint)
                  .orElse(
                      "All tasks are done; %d objects are left to retry."
                          .formatted(progress.left())));
      case "tasks" -> output.tasks(progress.open());
      case "quit" -> {
        output.say("The drill was ended. Left:");
        output.tasks(progress.open());
        return true;
      }
      default -> {
        // An answer, or an empty line.
      }
    }
    return false;
  }

  /** Returns null when a replica or the API server does not respond now. */
  private static @Nullable DrillState tryRead(DrillClient client) throws InterruptedException {
    try {
      return client.read();
    } catch (IOException e) {
      return null; // read again after a moment; the caller limits that
    }
  }

  /** Returns false for {@code quit}. There is no limit: the reader reads the guide. */
  private boolean awaitEnter() throws InterruptedException {
    while (true) {
      boolean isLast = inputEnded; // before the look: its last lines are read, too
      String line = lines.poll(isLast ? 0 : LOOK.toNanos(), TimeUnit.NANOSECONDS);
      if (line == null ? isLast : line.isBlank()) {
        return true;
      }
      if (line != null && line.strip().equals("quit")) {
        return false;
      }
      if (line != null) {
        output.say("That is for later: an empty line begins the drill, \"quit\" ends it.");
      }
    }
  }

  private void readInput() {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      @Nullable String line;
      while ((line = in.readLine()) != null) {
        lines.put(line);
      }
    } catch (IOException e) {
      // As its end.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    inputEnded = true;
  }
}
