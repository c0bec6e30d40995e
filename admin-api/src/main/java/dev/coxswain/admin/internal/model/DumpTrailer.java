// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last line of a dump, whose other lines are its header and items.
 *
 * @param complete whether the part of each replica is complete
 */
public record DumpTrailer(String kind, boolean complete, long count, List<Part> replicas) {

  public static final String KIND = "Trailer";

  /** The first line. */
  public record Header(String kind, String controller, String replica, List<String> replicas) {

    public static final String KIND = "ItemDump";
  }

  /**
   * The part of a replica.
   *
   * @param asOfSeq the number of the youngest item when the part began; null when it is unknown
   * @param error why it is incomplete
   */
  public record Part(
      String replica,
      String state,
      boolean complete,
      long count,
      @Nullable Long asOfSeq,
      @Nullable String error) {}
}
