// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import dev.coxswain.ctl.internal.template.TemplateExpression.Pipeline;
import java.util.List;

/**
 * A part of a template.
 *
 * <p>Thread rule: immutable.
 */
sealed interface TemplatePart {

  /** A text as it is. */
  record Text(String text) implements TemplatePart {}

  /** The value of a pipeline, or nothing when it sets variables. */
  record Action(Pipeline pipeline) implements TemplatePart {}

  /**
   * Parts that are printed when a value is not empty, or others.
   *
   * @param dot whether the value is the dot in them, as of {@code with}
   */
  record Choice(
      boolean dot, Pipeline pipeline, List<TemplatePart> parts, List<TemplatePart> otherwise)
      implements TemplatePart {}

  /** Parts that are printed for each element of a list or map, or others when there is none. */
  record Range(Pipeline pipeline, List<TemplatePart> parts, List<TemplatePart> otherwise)
      implements TemplatePart {}

  /** The end of a range, or of one pass through it. */
  record Jump(boolean ends) implements TemplatePart {}
}
