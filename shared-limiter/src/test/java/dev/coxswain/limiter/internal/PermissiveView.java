// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import java.util.Set;

/** A replica that may do everything among others that are all there; a test says what differs. */
public interface PermissiveView extends ReplicaView {

  @Override
  default boolean mayAct() {
    return true;
  }

  @Override
  default boolean holdsLease(String address) {
    return true;
  }

  @Override
  default Set<String> memberAddresses() {
    return Set.of();
  }

  @Override
  default boolean poolAllowed() {
    return poolProblem().isEmpty();
  }

  @Override
  default String poolProblem() {
    return "";
  }
}
