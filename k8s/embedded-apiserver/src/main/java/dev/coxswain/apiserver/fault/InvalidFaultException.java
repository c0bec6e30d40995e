// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.fault;

/** An invalid description of a fault; the message names the field. Any thread. */
public final class InvalidFaultException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String field;

  /**
   * Creates the failure; the message starts with the field.
   *
   * @param field name of the field, as in JSON
   * @param problem what is wrong with it and what is expected
   */
  public InvalidFaultException(String field, String problem) {
    super(field + " " + problem);
    this.field = field;
  }

  /** Name of the field that is wrong, as in JSON. */
  public String field() {
    return field;
  }
}
