// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.options;

import dev.coxswain.controller.BulkRequest;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Set;

/**
 * The policy for changes.
 *
 * <p>Thread rule: immutable.
 *
 * @param safeCount an operation on more items than this requires the token of its preview
 * @param itemsPerSecond the default rate of an operation, in items per second
 * @param requireIfMatch whether a change of an object with a revision requires If-Match (428)
 * @param protectedControllers the controllers whose items cannot be dropped or flushed (403)
 */
@RecordBuilder
public record ChangePolicy(
    int safeCount, int itemsPerSecond, boolean requireIfMatch, Set<String> protectedControllers)
    implements ChangePolicyBuilder.With {

  /** 10 items without a preview, 200 items per second, revisions optional, nothing protected. */
  public static final ChangePolicy DEFAULT = new ChangePolicy(10, 200, false, Set.of());

  public ChangePolicy {
    if (safeCount < 0) {
      throw new IllegalArgumentException("safeCount must not be negative: " + safeCount);
    }
    if (itemsPerSecond < 1 || itemsPerSecond > BulkRequest.MAX_AFFECTED) {
      throw new IllegalArgumentException(
          "itemsPerSecond must be from 1 to " + BulkRequest.MAX_AFFECTED + ": " + itemsPerSecond);
    }
    protectedControllers = Set.copyOf(protectedControllers);
  }
}
