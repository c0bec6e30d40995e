// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.jvm;

/**
 * The number of carriers of this process: the threads of the JDK on which all virtual threads run.
 *
 * <p>Thread rule: once, before the first virtual thread.
 */
public final class Carriers {

  /** The property of the JDK, which is read with the first virtual thread. */
  private static final String PROPERTY = "jdk.virtualThreadScheduler.parallelism";

  private static final int PER_PROCESSOR = 4;
  private static final int LEAST = 8;

  private Carriers() {}

  /**
   * Sets more carriers than processors, so that a few attempts which compute or block in native code
   * hold up no other controller. A value that is set already stays.
   */
  public static void provide() {
    if (System.getProperty(PROPERTY) == null) {
      System.setProperty(
          PROPERTY, Integer.toString(count(Runtime.getRuntime().availableProcessors())));
    }
  }

  static int count(int processors) {
    return Math.max(LEAST, PER_PROCESSOR * processors);
  }
}
