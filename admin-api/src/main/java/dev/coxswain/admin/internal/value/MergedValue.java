// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

import java.util.List;

/** A value that is merged from those of several replicas. */
public interface MergedValue {

  /**
   * Returns the value with the states of the replicas.
   *
   * @param self this replica, for a value without the name of one
   * @param isPartial whether the value may be incomplete
   */
  MergedValue marked(String self, boolean isPartial, List<ReplicaState> states);

  /** Returns about how many entries it has, for a decision where it is written. */
  default int entries() {
    return 1;
  }
}
