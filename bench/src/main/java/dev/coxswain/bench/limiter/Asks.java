// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/**
 * Those who wait for grants of one limiter in one member.
 *
 * <p>Thread rule: confined to the event loop.
 */
interface Asks {
  /** Adds one, who is told when it is granted, which may be before this returns. */
  void ask(Ask ask);

  /** Returns how many calls failed. */
  long failed();

  /** Forgets those who still wait; nobody is told any more. */
  void close();
}
