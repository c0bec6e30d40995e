// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An expression in an action.
 *
 * <p>Thread rule: immutable.
 */
sealed interface TemplateExpression {

  /** Returns where it begins in the text. */
  int at();

  /** A text, number or boolean; null is {@code nil}. */
  record Literal(int at, @Nullable Object value) implements TemplateExpression {}

  /** The dot. */
  record Dot(int at) implements TemplateExpression {}

  /** A variable; an empty name is the document. */
  record Variable(int at, String name) implements TemplateExpression {}

  /** A field of a value. */
  record Field(int at, TemplateExpression of, String name) implements TemplateExpression {}

  /** A call of a function. */
  record Call(int at, TemplateFunction function, List<TemplateExpression> arguments)
      implements TemplateExpression {}

  /** A value with arguments, which only functions accept. */
  record NoCall(int at, TemplateExpression of) implements TemplateExpression {}

  /**
   * Commands, of which each one has the value of the one before as its last argument.
   *
   * @param variables the names that are set
   * @param declares whether the variables are new
   */
  record Pipeline(
      int at, List<String> variables, boolean declares, List<TemplateExpression> commands)
      implements TemplateExpression {}
}
