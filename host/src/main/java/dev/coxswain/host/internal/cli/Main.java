// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.host.internal.jvm.Carriers;
import java.util.List;

/** The entry point of {@code coxswain}. */
public final class Main {
  private Main() {}

  /**
   * Runs a command; the process ends with its exit code, unless it keeps running in the background.
   */
  public static void main(String[] arguments) {
    Carriers.provide();
    Shutdown.exitAfter(() -> CommandLine.run(List.of(arguments)));
  }
}
