// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

import java.util.List;

/**
 * A value that several replicas may have: that of the first one, with copies of the others.
 *
 * @param <T> its own type
 */
public interface CopiedValue<T> extends MergedValue {

  /** Returns the value with its replica. */
  T at(String replica);

  /** Returns the value with the copies of other replicas. */
  T and(List<T> copies);
}
