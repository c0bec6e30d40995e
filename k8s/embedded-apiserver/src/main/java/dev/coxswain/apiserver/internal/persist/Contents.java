// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a data directory holds; confined to one thread. */
final class Contents {
  private final Map<String, Entry> objects = new LinkedHashMap<>();
  private long version;

  /** Takes the next record into account. */
  void take(byte[] record) throws IOException {
    Entry entry = Entry.decode(record);
    version = Math.max(version, entry.version());
    String key = entry.storage() + " " + entry.key();
    objects.remove(key); // so that the order is that of the last writes
    if (!entry.deletes()) {
      objects.put(key, entry);
    }
  }

  /** The newest entry of every object that exists, in the order they were written. */
  List<Entry> entries() {
    return List.copyOf(objects.values());
  }

  /** The newest version, 0 = nothing was ever written. */
  long version() {
    return version;
  }
}
