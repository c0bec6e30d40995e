// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

import java.util.List;

/** A value that is merged from those of several replicas. */
public interface MergedValue extends SizedValue {

  /**
   * Returns the value with the states of the replicas.
   *
   * @param self this replica, for a value without the name of one
   * @param isPartial whether the value may be incomplete
   */
  MergedValue marked(String self, boolean isPartial, List<ReplicaState> states);

  @Override
  default int entries() {
    return 1;
  }
}
