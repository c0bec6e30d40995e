// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import dev.coxswain.host.internal.probes.EventLoopWatchdog.Watched;
import dev.coxswain.internal.thread.UserThreads;
import dev.coxswain.internal.thread.UserThreads.Holder;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ConditionType;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A watchdog that measures how long a virtual thread waits for a carrier, and which user code holds
 * carriers, by computing or by blocking in native code. When that code holds as many as there are
 * processors, it is reported once in the log with its stacks, and as a condition of its controllers;
 * when no carrier is left, as a condition of all controllers, and in the probes. The replica itself
 * uses no carrier for what it lives by.
 *
 * <p>Thread rule: has a platform thread of its own; checks are made on any thread.
 */
public final class CarrierWatchdog extends WatchdogThread {

  private static final Logger LOG = LoggerFactory.getLogger(CarrierWatchdog.class);

  /** The wait from which it is reported. */
  static final Duration LIMIT = Duration.ofSeconds(2);

  /** The wait from which the replica is not ready: it answers no webhook. */
  static final Duration READY_LIMIT = Duration.ofSeconds(10);

  /** The time after which a thread that kept its carrier is counted. */
  static final Duration HOLD_LIMIT = Duration.ofSeconds(5);

  /** The most threads that one report describes. */
  private static final int MAX_HOLDERS = 3;

  private static final int MAX_FRAMES = 64;
  private static final long NONE = Long.MIN_VALUE;
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private final Clock clock;
  private final Duration liveLimit;
  private final Supplier<Collection<Watched>> controllers;

  /** When the virtual thread was started that has not run yet, or {@link #NONE}. */
  private volatile long requested = NONE;

  /** The last wait that has ended. */
  private volatile long lastWait;

  /** What was reported last, and who held the carriers then. */
  private volatile Report reported = Report.NONE;

  private record Report(State state, String holders) {
    static final Report NONE = new Report(State.GOOD, "");
  }

  /** States in the order of their severity. */
  private enum State {
    GOOD,
    /** User code holds as many carriers as there are processors, and others have carriers. */
    HELD,
    /** No carrier is left. */
    NONE_LEFT
  }

  // Confined to the thread of the watchdog.
  private List<Watched> affected = List.of();

  /** Since when threads have had a carrier at each look. */
  private Map<Thread, Long> holding = Map.of();

  /**
   * Creates a watchdog that is not started.
   *
   * @param clock the time
   * @param liveLimit the wait after which the replica is not alive; zero for never
   * @param controllers the running controllers
   */
  public CarrierWatchdog(
      Clock clock, Duration liveLimit, Supplier<Collection<Watched>> controllers) {
    super("carrier-watchdog", clock, LIMIT);
    this.clock = clock;
    this.liveLimit = liveLimit;
    this.controllers = controllers;
  }

  /** Returns the wait of the thread that waits now, or else the last one. */
  public Duration carrierWait() {
    long since = requested;
    return Duration.ofNanos(since == NONE ? lastWait : clock.nanos() - since);
  }

  /** Returns the check of liveness. */
  public List<Check> alive() {
    return checks(liveLimit.isZero() ? null : liveLimit);
  }

  /** Returns the check of readiness. */
  public List<Check> ready() {
    return checks(READY_LIMIT);
  }

  private List<Check> checks(@Nullable Duration limit) {
    Duration waits = requested == NONE ? Duration.ZERO : carrierWait();
    if (!isStarted() || waits.compareTo(LIMIT) < 0) {
      return List.of(Check.of("carriers", null));
    }
    String holders = reported.holders();
    return List.of(
        new Check(
            "carriers",
            "virtual threads have waited for a carrier for %d s%s"
                .formatted(waits.toSeconds(), holders.isEmpty() ? "" : "; " + holders),
            limit != null && waits.compareTo(limit) >= 0));
  }

  /** Reports what has changed, and starts the next measurement. */
  @Override
  void look() {
    boolean steady = isSteady();
    long now = clock.nanos();
    long since = requested;
    List<Holder> holders = holders(now);
    List<Holder> lasting =
        holders.stream()
            .filter(one -> now - holding.getOrDefault(one.thread(), now) >= HOLD_LIMIT.toNanos())
            .toList();
    State state =
        since != NONE && now - since >= LIMIT.toNanos()
            ? State.NONE_LEFT
            : lasting.size() >= PROCESSORS ? State.HELD : State.GOOD;
    if (state == State.GOOD && since == NONE) {
      ended();
    } else if (steady && state.compareTo(reported.state()) > 0) {
      report(state, state == State.HELD ? lasting : holders, since == NONE ? 0 : now - since);
    }
    if (since == NONE) {
      requested = now; // before the thread runs, which takes it away
      Thread.ofVirtual().name("coxswain-carrier-probe").start(() -> measured(now));
    }
  }

  private List<Holder> holders(long now) {
    List<Holder> holders =
        UserThreads.holders().stream()
            .sorted(Comparator.comparingLong(CarrierWatchdog::startedAt))
            .toList();
    Map<Thread, Long> next = new HashMap<>();
    holders.forEach(one -> next.put(one.thread(), holding.getOrDefault(one.thread(), now)));
    holding = next;
    return holders;
  }

  private void measured(long since) {
    lastWait = clock.nanos() - since;
    requested = NONE;
  }

  private void report(State state, List<Holder> holders, long waits) {
    Set<String> names = new TreeSet<>();
    holders.forEach(holder -> names.add(holder.work().controller()));
    names.remove("");
    List<Holder> described = holders.subList(0, Math.min(MAX_HOLDERS, holders.size()));
    String text =
        holders.isEmpty()
            ? "held by code of no known controller"
            : described.stream()
                    .map(this::describe)
                    .collect(Collectors.joining(", ", "held by ", ""))
                + (holders.size() > described.size()
                    ? " and " + (holders.size() - described.size()) + " more threads"
                    : "");
    reported = new Report(state, text);
    LoggingEventBuilder event =
        LOG.atWarn()
            .addKeyValue("controllers", names)
            .addKeyValue("threads", holders.size())
            .addKeyValue("waitedMs", Duration.ofNanos(waits).toMillis())
            .addKeyValue("holders", text);
    if (!described.isEmpty()) {
      event = event.setCause(stacks(described));
    }
    boolean none = state == State.NONE_LEFT;
    event.log(none ? "virtual threads wait for a carrier" : "carriers of virtual threads held");
    affected =
        controllers.get().stream().filter(one -> none || names.contains(one.name())).toList();
    for (Watched controller : affected) {
      controller
          .conditions()
          .raise(
              ConditionType.CARRIERS_BLOCKED,
              (none
                      ? "no carrier of virtual threads is left, so attempts and events wait; "
                      : "carriers of virtual threads are ")
                  + text
                  + "; a reconciler that computes for long or blocks in native code needs threads:"
                  + " platform");
    }
  }

  private void ended() {
    if (reported.state() != State.GOOD) {
      reported = Report.NONE;
      // Also of those that are not deployed now: they must not come back with the condition.
      affected.forEach(one -> one.conditions().clear(ConditionType.CARRIERS_BLOCKED));
      affected = List.of();
      LOG.atInfo().log("virtual threads have carriers again");
    }
  }

  private static long startedAt(Holder holder) {
    return holder.work() instanceof UserThreads.Attempt attempt
        ? attempt.startedAt()
        : Long.MAX_VALUE;
  }

  private String describe(Holder holder) {
    String at = where(holder.thread().getStackTrace());
    return switch (holder.work()) {
      case UserThreads.Attempt attempt ->
          "controller \"%s\" with %s for %d s at %s"
              .formatted(
                  attempt.controller(),
                  attempt.context().key(),
                  Duration.ofNanos(clock.nanos() - attempt.startedAt()).toSeconds(),
                  at);
      case UserThreads.Other other ->
          "%s with thread \"%s\" at %s"
              .formatted(
                  other.controller().isEmpty()
                      ? "code of no controller"
                      : "controller \"" + other.controller() + "\"",
                  holder.thread().getName(),
                  at);
    };
  }

  /** Returns the frame that says most: the first one that is not of the JDK. */
  private static String where(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      if (!"java.base".equals(frame.getModuleName())) {
        return frame.toString();
      }
    }
    return stack.length == 0 ? "unknown code" : stack[0].toString();
  }

  private static Throwable stacks(List<Holder> holders) {
    Throwable first = new CarrierHolder(holders.getFirst().thread());
    holders.stream().skip(1).forEach(one -> first.addSuppressed(new CarrierHolder(one.thread())));
    return first;
  }

  /** The stack of a thread, for the log. */
  private static final class CarrierHolder extends RuntimeException {
    private static final long serialVersionUID = 1;

    CarrierHolder(Thread thread) {
      super("the stack of " + thread.getName());
      StackTraceElement[] stack = thread.getStackTrace();
      setStackTrace(Arrays.copyOf(stack, Math.min(stack.length, MAX_FRAMES)));
    }
  }
}
