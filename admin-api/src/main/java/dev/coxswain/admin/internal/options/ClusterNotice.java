// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.options;

import dev.coxswain.admin.internal.json.Hashes;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Something that has happened to the whole cluster. Immutable.
 *
 * @param id the same on each replica that has seen it; lower-case letters and digits
 * @param at when this replica has seen it
 * @param warning whether somebody should look at it
 * @param reason one word, such as {@code ReplicaLost}
 * @param note what has happened, in a sentence
 */
public record ClusterNotice(String id, Instant at, boolean warning, String reason, String note) {

  private static final int ID_BYTES = 10;

  /**
   * Creates a notice.
   *
   * @param identity what identifies it among those of the same reason
   */
  public static ClusterNotice of(
      Instant at, boolean warning, String reason, List<String> identity, String note) {
    byte[] hash =
        Hashes.of(Hashes.joined(Stream.concat(Stream.of(reason), identity.stream()).toList()));
    return new ClusterNotice(
        HexFormat.of().formatHex(hash, 0, ID_BYTES), at, warning, reason, note);
  }
}
