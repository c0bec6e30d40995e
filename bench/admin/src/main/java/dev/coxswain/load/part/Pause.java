// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.part;

import java.io.IOException;

/** Has the measuring thread wait while others work. */
public final class Pause {
  private Pause() {}

  public static void millis(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
