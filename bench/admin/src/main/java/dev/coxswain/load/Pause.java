// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import java.io.IOException;

/** Has the measuring thread wait while others work. */
final class Pause {
  private Pause() {}

  static void millis(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
