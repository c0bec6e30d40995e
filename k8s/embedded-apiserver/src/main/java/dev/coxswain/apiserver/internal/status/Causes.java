// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

/**
 * What is wrong with one object, in the order it was found; confined to one thread. Each method but
 * those of a list adds a {@link Cause}.
 */
public final class Causes extends AbstractList<Cause> {
  private final List<Cause> found = new ArrayList<>();

  @Override
  public Cause get(int index) {
    return found.get(index);
  }

  @Override
  public int size() {
    return found.size();
  }

  @Override
  public void add(int index, Cause cause) {
    found.add(index, cause);
  }

  public void invalid(String field, String value, String detail) {
    found.add(Cause.invalid(field, value, detail));
  }

  public void invalidText(String field, String value, String detail) {
    found.add(Cause.invalidText(field, value, detail));
  }

  /** One cause for each detail. */
  public void invalidText(String field, String value, List<String> details) {
    details.forEach(detail -> invalidText(field, value, detail));
  }

  public void required(String field) {
    required(field, "");
  }

  public void required(String field, String detail) {
    found.add(Cause.required(field, detail));
  }

  public void forbidden(String field, String detail) {
    found.add(Cause.forbidden(field, detail));
  }

  public void notSupported(String field, String value, String supported) {
    found.add(Cause.notSupported(field, value, supported));
  }

  public void tooLong(String field, int bytes) {
    found.add(Cause.tooLong(field, bytes));
  }

  /** A value that is there twice; {@code value} as printed. */
  public void duplicate(String field, String value) {
    found.add(new Cause("FieldValueDuplicate", field, "Duplicate value: " + value));
  }

  /** A reference to something that is not there. */
  public void notFound(String field, String name) {
    found.add(new Cause("FieldValueNotFound", field, "Not found: " + Cause.quote(name)));
  }
}
