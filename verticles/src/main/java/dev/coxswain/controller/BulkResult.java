// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.queue.Phase;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What became of a {@link BulkRequest}, or with a dry run what would.
 *
 * <p>Thread rule: immutable.
 *
 * @param dryRun whether nothing was changed on purpose
 * @param aborted whether nothing was changed because more than {@code maxAffected} matched
 * @param matched how many items matched; one more than {@link BulkRequest#MAX_AFFECTED} stands for
 *     "more than that"
 * @param changed how many were changed
 * @param skipped how many matched and were left alone, by reason
 * @param relisted how many were (or with a dry run would be) added again
 * @param notRelisted how many were not added again because their object is not known
 * @param byPhase matched items by the phase they were found in
 * @param byNamespace matched items by namespace, the largest 20, the largest first
 * @param sample the first matched items as {@code namespace/name}, at most 10
 * @param asOfSeq the youngest sequence number that was looked at; give it as {@code maxSeq} of the
 *     filter to affect nothing younger
 */
public record BulkResult(
    boolean dryRun,
    boolean aborted,
    int matched,
    int changed,
    Map<String, Integer> skipped,
    int relisted,
    int notRelisted,
    Map<Phase, Integer> byPhase,
    Map<String, Integer> byNamespace,
    List<String> sample,
    long asOfSeq) {

  public BulkResult {
    skipped = Map.copyOf(skipped);
    byPhase = Map.copyOf(byPhase);
    byNamespace = Collections.unmodifiableMap(new LinkedHashMap<>(byNamespace)); // keeps the order
    sample = List.copyOf(sample);
  }
}
