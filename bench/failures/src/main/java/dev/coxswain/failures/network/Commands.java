// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.failures.network;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs small commands of the system. */
public final class Commands {
  private Commands() {}

  /**
   * Runs a command to its end.
   *
   * @throws IOException when it fails; the message holds what it said
   */
  public static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(List.of(command) + " ended with " + code + ": " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while running " + List.of(command), e);
    }
  }
}
