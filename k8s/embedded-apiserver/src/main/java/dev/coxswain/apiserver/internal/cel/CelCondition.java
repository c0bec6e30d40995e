// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** An expression that is true or false; immutable, any thread. */
public final class CelCondition {
  private final Cel expression;

  private CelCondition(Cel expression) {
    this.expression = expression;
  }

  /** Reads an expression; throws {@link CelException} for one that it cannot read. */
  public static CelCondition parse(String expression) {
    return new CelCondition(CelParser.parse(expression));
  }

  /** Returns whether it holds; throws {@link CelException} when it cannot be evaluated. */
  public boolean holds(Map<String, JsonNode> variables) {
    return Cel.truth(expression.evaluate(variables));
  }
}
