// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

/** A value that is the response to a change, or to its preview. */
public interface RecordedValue {

  /** Returns the outcome in one word, as audit records have it. */
  String recorded();
}
