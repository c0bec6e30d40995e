// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import java.util.ArrayList;
import java.util.List;

/**
 * What is wrong with one object, in the order it was found; confined to one thread. Each method but
 * those of a list adds a {@link Cause}.
 */
public final class Causes extends ArrayList<Cause> {
  private static final long serialVersionUID = 1L;

  public void invalid(String field, String value, String detail) {
    add(Cause.invalid(field, value, detail));
  }

  public void invalidText(String field, String value, String detail) {
    add(Cause.invalidText(field, value, detail));
  }

  /** One cause for each detail. */
  public void invalidText(String field, String value, List<String> details) {
    details.forEach(detail -> invalidText(field, value, detail));
  }

  public void required(String field) {
    required(field, "");
  }

  public void required(String field, String detail) {
    add(Cause.required(field, detail));
  }

  public void forbidden(String field, String detail) {
    add(Cause.forbidden(field, detail));
  }

  public void notSupported(String field, String value, String supported) {
    add(Cause.notSupported(field, value, supported));
  }

  public void tooLong(String field, int bytes) {
    add(Cause.tooLong(field, bytes));
  }

  /** A value that is there twice; {@code value} as printed. */
  public void duplicate(String field, String value) {
    add(new Cause("FieldValueDuplicate", field, "Duplicate value: " + value));
  }

  /** A reference to something that is not there. */
  public void notFound(String field, String name) {
    add(new Cause("FieldValueNotFound", field, "Not found: " + Cause.quote(name)));
  }
}
