// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

/**
 * A text that a function of a template makes. Its length is limited: a template can double a variable as
 * often as a list is long.
 *
 * <p>Thread rule: confined to one thread.
 */
final class BoundedText {

  /** The longest text, in characters. */
  static final int LONGEST = 16 * 1024 * 1024;

  private final int at;
  private final String function;
  private final StringBuilder text = new StringBuilder();

  /**
   * Creates an empty text.
   *
   * @param at where the call of the function is in the template
   */
  BoundedText(int at, String function) {
    this.at = at;
    this.function = function;
  }

  BoundedText append(String more) {
    if (more.length() > LONGEST - text.length()) {
      throw new TemplateException(at, function + ": more than " + LONGEST + " characters");
    }
    text.append(more);
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
