// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.watch;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.List;

/**
 * Joins events that go out together. Watchers of the same objects wait for the same events, so the
 * last result is kept for the next of them. Confined to the server's event loop.
 */
final class Pieces {
  private List<byte[]> last = List.of();
  private Buffer joined = Buffer.buffer();

  /** Returns the events in one buffer, which is shared and not to be changed. */
  Buffer join(List<byte[]> events) {
    if (!same(events)) {
      Buffer buffer = Buffer.buffer(events.stream().mapToInt(event -> event.length).sum());
      events.forEach(buffer::appendBytes);
      joined = buffer;
      last = List.copyOf(events);
    }
    return joined;
  }

  /** Nearly always the same arrays, so that their bytes need not be looked at. */
  private boolean same(List<byte[]> events) {
    if (events.size() != last.size()) {
      return false;
    }
    for (int i = 0; i < events.size(); i++) {
      if (!Arrays.equals(events.get(i), last.get(i))) {
        return false;
      }
    }
    return true;
  }
}
