// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelErrorCode;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A compiled expression; immutable, any thread. */
final class CelProgram {
  private static final Pattern PLACE =
      Pattern.compile("^(evaluation error( at <input>:\\d+)?: )*(\\w+ failure: )?");
  private static final Pattern KEY = Pattern.compile("key '(.*)' is not present in map\\.");

  private final CelAbstractSyntaxTree tree;
  private final CelRuntime.Program program;

  CelProgram(CelAbstractSyntaxTree tree, CelRuntime.Program program) {
    this.tree = tree;
    this.program = program;
  }

  /** Returns whether the expression uses a variable. */
  boolean uses(String variable) {
    return CelNavigableAst.fromAst(tree)
        .getRoot()
        .allNodes()
        .anyMatch(node ->
            node.getKind() == CelExpr.ExprKind.Kind.IDENT
                && node.expr().ident().name().equals(variable));
  }

  /** Computes the value; throws {@link CelException} when it cannot, or when that takes too much work. */
  Object evaluate(Map<String, Object> variables) {
    try {
      return program.trace(variables, new CelBudget());
    } catch (CelEvaluationException e) {
      throw new CelException(reason(e));
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new CelException(String.valueOf(e.getMessage()));
    }
  }

  /** The words of the real server. */
  private static String reason(CelEvaluationException failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof CelException) { // the budget
        return String.valueOf(e.getMessage());
      }
    }
    String text = text(failure);
    for (Throwable e = failure.getCause(); e != null && text.startsWith("Function '"); ) {
      text = text(e);
      e = e.getCause();
    }
    Matcher key = KEY.matcher(text);
    if (key.matches()) {
      return "no such key: " + key.group(1);
    }
    if (failure.getErrorCode() == CelErrorCode.ATTRIBUTE_NOT_FOUND) {
      return "no such key: " + text;
    }
    if (failure.getErrorCode() == CelErrorCode.BAD_FORMAT) {
      return "type conversion error: " + text;
    }
    if (text.startsWith("No matching overload")) {
      return "no such overload";
    }
    if (text.startsWith("Index out of ")) {
      return "i" + text.substring(1);
    }
    return text.equals("/ by zero")
        ? "division by zero"
        : text.equals("long overflow") ? "integer overflow" : text;
  }

  private static String text(Throwable failure) {
    return PLACE.matcher(String.valueOf(failure.getMessage())).replaceAll("");
  }
}
