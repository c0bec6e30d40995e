// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import dev.coxswain.controller.Conditions;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.LoopOccupant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watchdog that requests the heartbeats of all event loops, and reports the controller that blocks
 * one: as a condition of all controllers of the loop, and once in the log with the stack of the
 * thread.
 *
 * <p>Thread rule: has a thread of its own, which no event loop can block.
 */
public final class EventLoopWatchdog extends WatchdogThread {

  private static final Logger LOG = LoggerFactory.getLogger(EventLoopWatchdog.class);

  /** The time without a heartbeat after which a loop is blocked. */
  static final Duration LIMIT = Duration.ofSeconds(2);

  /** One of so many requests goes to idle loops, too: what Vert.x does not run can block, too. */
  private static final int IDLE_LOOPS = 10;

  private static final int MAX_FRAMES = 64;

  private final EventLoopHeartbeat pulse;
  private final EventLoopHeartbeat hostPulse;
  private final Supplier<Collection<Watched>> controllers;

  /** The blocked loops that were reported, with the controllers that got the condition. */
  private final Map<Thread, List<Watched>> reported = new ConcurrentHashMap<>();

  // Confined to the thread of the watchdog.
  private int looks;

  /**
   * A running controller.
   *
   * @param name its name
   * @param occupant whether it runs on its loop now
   * @param conditions its standing problems
   */
  public record Watched(String name, LoopOccupant occupant, Conditions conditions) {}

  /**
   * Creates a watchdog that is not started.
   *
   * @param pulse the heartbeats of the loops of the controllers, which are watched
   * @param hostPulse those of the loops of the host, which are requested only
   * @param clock the clock of the pulses
   * @param controllers the running controllers
   */
  public EventLoopWatchdog(
      EventLoopHeartbeat pulse,
      EventLoopHeartbeat hostPulse,
      Clock clock,
      Supplier<Collection<Watched>> controllers) {
    super("event-loop-watchdog", clock, LIMIT);
    this.pulse = pulse;
    this.hostPulse = hostPulse;
    this.controllers = controllers;
  }

  /** Reports what has not answered for too long, and requests the next answers. */
  @Override
  void look() {
    if (isSteady()) {
      report();
    }
    boolean idle = looks++ % IDLE_LOOPS == 0;
    pulse.request(idle);
    hostPulse.request(idle);
  }

  private void report() {
    Map<Thread, Duration> blocked = pulse.silentFor(LIMIT);
    if (blocked.isEmpty() && reported.isEmpty()) {
      return; // no controller has the condition
    }
    Collection<Watched> all = controllers.get();
    List<Watched> affected = new ArrayList<>(all);
    reported.values().stream()
        .flatMap(List::stream)
        .filter(one -> all.stream().noneMatch(other -> other.conditions().equals(one.conditions())))
        .forEach(affected::add); // not deployed now: it must not come back with the condition
    reported.keySet().retainAll(blocked.keySet());
    for (Watched controller : affected) {
      Thread loop = controller.occupant().loop();
      if (loop == null || !blocked.containsKey(loop)) {
        controller.conditions().clear(ConditionType.EVENT_LOOP_BLOCKED);
      }
    }
    blocked.forEach((loop, silent) -> blocked(loop, silent, all));
  }

  private void blocked(Thread loop, Duration silent, Collection<Watched> all) {
    List<Watched> here = all.stream().filter(one -> loop.equals(one.occupant().loop())).toList();
    if (reported.putIfAbsent(loop, here) != null) {
      return;
    }
    StackTraceElement[] stack = loop.getStackTrace();
    String where = stack.length == 0 ? "unknown code" : stack[0].toString();
    Watched holder =
        here.stream().filter(one -> one.occupant().isInside()).findFirst().orElse(null);
    String by =
        holder == null
            ? "code outside of a controller's turn, such as a callback of a future,"
            : "controller \"" + holder.name() + "\"";
    for (Watched controller : here) {
      controller
          .conditions()
          .raise(
              ConditionType.EVENT_LOOP_BLOCKED,
              ("%s holds the event loop at %s; an asynchronous reconciler must not block, "
                      + "use a blocking one")
                  .formatted(by, where));
    }
    Throwable trace = new BlockedEventLoop(loop.getName());
    trace.setStackTrace(Arrays.copyOf(stack, Math.min(stack.length, MAX_FRAMES)));
    LOG.atError()
        .addKeyValue("controller", holder == null ? "" : holder.name())
        .addKeyValue("affected", here.stream().map(Watched::name).toList())
        .addKeyValue("thread", loop.getName())
        .addKeyValue("blockedFor", silent)
        .setCause(trace)
        .log("event loop blocked");
  }

  /** The stack of a thread, for the log. */
  private static final class BlockedEventLoop extends RuntimeException {
    private static final long serialVersionUID = 1;

    BlockedEventLoop(String thread) {
      super("the stack of " + thread, null, false, true);
    }
  }
}
