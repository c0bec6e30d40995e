// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.fault.Fault;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** An injected fault with what it has done so far; confined to the server's event loop. */
final class Rule {
  static final long NO_TIMER = -1;

  private final String id;
  private final Fault fault;
  private final Predicate<String> uri;
  private final SplittableRandom random;
  private final long started = System.nanoTime();
  private long applied;
  long timer = NO_TIMER;

  Rule(String id, Fault fault, Predicate<String> uri) {
    this.id = id;
    this.fault = fault;
    this.uri = uri;
    this.random =
        new SplittableRandom(
            switch (fault.effect()) {
              case Effect.Fail f -> f.seed();
              case Effect.DropEvents d -> d.seed();
              default -> 0;
            });
  }

  String id() {
    return id;
  }

  Fault fault() {
    return fault;
  }

  Effect effect() {
    return fault.effect();
  }

  boolean matches(RequestFacts request) {
    return fault
            .filter()
            .matches(request.verb(), request.group(), request.resource(), request.uri())
        && uri.test(request.uri());
  }

  /** Draws the next number of this rule's sequence. */
  boolean hits(double share) {
    return share >= 1 || random.nextDouble() < share;
  }

  /** Counts; true when the fault is used up by that. */
  boolean applied(long times) {
    applied += times;
    return fault.count() > 0 && applied >= fault.count();
  }

  /** The number of times that it may still happen, 0 = any number. */
  int left() {
    return fault.count() == 0 ? 0 : Math.toIntExact(fault.count() - applied);
  }

  ActiveFault report(boolean active) {
    Duration remaining = Duration.ZERO;
    if (active && !fault.duration().isZero()) {
      remaining = fault.duration().minusNanos(System.nanoTime() - started);
    }
    return new ActiveFault(
        id, fault, applied, remaining.isNegative() ? Duration.ZERO : remaining, active);
  }
}
