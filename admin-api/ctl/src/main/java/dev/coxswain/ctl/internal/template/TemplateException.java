// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

/** A template that is wrong, or that does not fit its document. */
final class TemplateException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int at;

  /**
   * Creates a failure.
   *
   * @param at its index in the text
   */
  TemplateException(int at, String message) {
    super(message, null, false, false);
    this.at = at;
  }

  int at() {
    return at;
  }
}
