// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

/** A value whose JSON may be long. */
public interface SizedValue {

  /** Returns about how long it is, as a number of entries with some twenty fields each. */
  int entries();
}
