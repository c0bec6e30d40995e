// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Collections;
import java.util.List;
import java.util.zip.InflaterInputStream;

/**
 * The content of one entry of a jar: deflated, and in pieces, since a large array needs room in one
 * place.
 *
 * <p>Thread rule: immutable.
 */
final class PluginEntry {

  private final List<byte[]> pieces;
  private final long size;

  /**
   * Creates an entry.
   *
   * @param pieces the deflated content, which is not changed any more
   * @param size the bytes of the content
   */
  PluginEntry(List<byte[]> pieces, long size) {
    this.pieces = List.copyOf(pieces);
    this.size = size;
  }

  /** Returns the bytes of the content. */
  long size() {
    return size;
  }

  /** Returns the content, which is inflated while it is read. */
  InputStream open() {
    InputStream deflated =
        pieces.size() == 1
            ? new ByteArrayInputStream(pieces.getFirst())
            : new SequenceInputStream(
                Collections.enumeration(pieces.stream().map(ByteArrayInputStream::new).toList()));
    return new InflaterInputStream(deflated);
  }

  /** Returns the whole content; for classes, whose size has a limit of its own. */
  byte[] bytes() throws IOException {
    try (InputStream in = open()) {
      return in.readNBytes(Math.toIntExact(size));
    }
  }
}
