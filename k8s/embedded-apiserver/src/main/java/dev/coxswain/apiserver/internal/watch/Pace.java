// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.watch;

/** The number of bytes that a stream may send now; confined to the server's event loop. No limit at first. */
final class Pace {
  private int bytesPerSecond;
  private double credit;

  /** Sets the limit; 0 = none. */
  void limit(int bytesPerSecond) {
    if (this.bytesPerSecond != bytesPerSecond) {
      this.bytesPerSecond = bytesPerSecond;
      credit = 0;
    }
  }

  /** True when there is a limit. */
  boolean limits() {
    return bytesPerSecond != 0;
  }

  /** Adds what some time is worth, up to a second's worth in all. */
  void elapsed(long millis) {
    credit = Math.min(bytesPerSecond, credit + bytesPerSecond * (millis / 1000.0));
  }

  /** Returns how many of so many bytes may go now, and spends them. */
  int take(int wanted) {
    if (bytesPerSecond == 0) {
      return wanted;
    }
    int length = Math.min(wanted, (int) credit);
    credit -= length;
    return length;
  }
}
