// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationListener;
import java.util.Collection;

/**
 * Bounds the work of one evaluation, which holds the event loop: each step counts, and large values count more.
 * Confined to one thread.
 */
final class CelBudget implements CelEvaluationListener {
  static final String EXCEEDED = "operation cancelled: actual cost limit exceeded";

  private static final long MOST = 1_000_000;
  private static final long CHARACTERS_PER_STEP = 10;

  /** Comparing lists with each other takes the square of their size. */
  private static final long COMPARISONS_PER_STEP = 1_000;

  /** The longest text that a function makes; it is made before it can be counted. */
  private static final long LONGEST = 1_000_000;

  private long used;

  @Override
  public void callback(CelExpr step, Object value) {
    used++;
    if (value instanceof String text) {
      used += text.length() / CHARACTERS_PER_STEP;
    } else if (value instanceof Collection<?> items) {
      long size = items.size();
      used += size / CHARACTERS_PER_STEP;
      if (step.getKind() == CelExpr.ExprKind.Kind.CALL) {
        used += size * size / COMPARISONS_PER_STEP;
      }
    }
    if (used > MOST) {
      throw new CelException(EXCEEDED);
    }
  }

  /** Throws when a function would make a text or list that is too large. */
  static void size(long size) {
    if (size > LONGEST) {
      throw new IllegalArgumentException(EXCEEDED);
    }
  }
}
