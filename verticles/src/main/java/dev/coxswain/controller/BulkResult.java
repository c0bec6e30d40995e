// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.view.Phase;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link BulkRequest}, or with a dry run the expected one.
 *
 * <p>Thread rule: immutable.
 *
 * @param dryRun whether it was a dry run
 * @param ending why it ended
 * @param counts the counts; with {@link Ending#COMPLETE} every matched item is {@code done},
 *     otherwise the rest was left alone. a {@code matched} beyond {@link BulkRequest#MAX_AFFECTED}
 *     means "more than that"; with a dry run {@code relisted} and {@code notRelisted} are the
 *     expected counts
 * @param firstFailure the error of the first item that failed, or null
 * @param byPhase matched items by the phase they were found in
 * @param byNamespace matched items by namespace, the largest 20, the largest first
 * @param sample the first matched items as {@code namespace/name}, at most 10
 * @param asOfSeq the highest sequence number that was considered; pass it as {@code maxSeq} of a
 *     filter to exclude younger items
 */
public record BulkResult(
    boolean dryRun,
    Ending ending,
    BulkProgress counts,
    @Nullable String firstFailure,
    Map<Phase, Integer> byPhase,
    Map<String, Integer> byNamespace,
    List<String> sample,
    long asOfSeq) {

  public BulkResult {
    byPhase = Map.copyOf(byPhase);
    byNamespace = Collections.unmodifiableMap(new LinkedHashMap<>(byNamespace)); // keeps the order
    sample = List.copyOf(sample);
  }

  /** Why a bulk action ended. */
  public enum Ending {
    /** Every item was processed, or counted. */
    COMPLETE,
    /** More than {@code maxAffected} matched; nothing was changed. */
    TOO_MANY,
    /** {@link BulkRun#stop} was called. */
    STOPPED,
    /** The controller stops. */
    CONTROLLER_STOPS
  }

  /** Returns how many items matched. */
  public int matched() {
    return counts.matched();
  }

  /** Returns how many items were changed. */
  public int changed() {
    return counts.changed();
  }

  /** Returns how many items were, or with a dry run would be, added again. */
  public int relisted() {
    return counts.relisted();
  }

  /** Returns how many items were not, or would not be, added again. */
  public int notRelisted() {
    return counts.notRelisted();
  }

  /** Returns how many matched items were skipped, by reason. */
  public Map<String, Integer> skipped() {
    return counts.skipped();
  }
}
