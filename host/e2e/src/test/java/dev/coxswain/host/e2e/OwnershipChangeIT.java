// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Three real replicas, whose controller goes from sharded to leader and back by roll-outs while its
 * objects change.
 */
class OwnershipChangeIT extends ChangingReplicas {

  @Test
  void epochsNeverFall_noRequestRunsTwice_andNothingIsLost() throws Exception {
    beginChanges();
    for (String ownership : List.of("sharded", "leader", "sharded")) {
      rollOut(Launcher.SCRIPT, Map.of("COXSWAIN_CONTROLLERS__CHANGING__OWNERSHIP", ownership));
    }
    judge();
  }
}
