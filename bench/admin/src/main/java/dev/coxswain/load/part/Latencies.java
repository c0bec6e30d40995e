// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.part;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How long calls took. */
final class Latencies {
  private final List<Long> nanos = Collections.synchronizedList(new ArrayList<>());

  void add(long took) {
    nanos.add(took);
  }

  int count() {
    return nanos.size();
  }

  /** The value that this share of all calls did not exceed, in milliseconds. */
  double millis(double share) {
    List<Long> sorted = new ArrayList<>(nanos);
    Collections.sort(sorted);
    int index = (int) Math.ceil(share * sorted.size()) - 1;
    return sorted.get(Math.max(0, index)) / 1e6;
  }
}
