// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The division of all requests into slots, each of which one replica owns at a time.
 *
 * <p>Thread rule: any thread; must not block.
 */
public interface Slots {

  /** Returns the number of slots. */
  int count();

  /**
   * Returns the slot of a request, from 0; the same for every controller and every replica.
   *
   * @param namespace empty for none
   */
  int slotOf(String namespace, String name);

  /**
   * Returns the slot of all requests of a namespace; empty, the default, when the slot of a request depends on its name
   * too.
   *
   * @param namespace not empty
   */
  default OptionalInt slotOfNamespace(String namespace) {
    return OptionalInt.empty();
  }

  /** Returns whether attempts may be started now: this replica may act for long enough. */
  boolean mayStart();

  /**
   * Returns the name of the replica that owns a slot, if it is another one that is alive, as far as
   * this one has observed; empty, the default, otherwise.
   */
  default Optional<String> otherOwner(int slot) {
    return Optional.empty();
  }

  /**
   * Returns the address that the other owner of a slot has announced under a name; empty, the
   * default, when there is none.
   */
  default Optional<String> otherEndpoint(int slot, String name) {
    return Optional.empty();
  }

  /**
   * Announces an address of this replica to the others under a name; an empty address withdraws it.
   * Does nothing by default.
   */
  default void announce(String name, String address) {}
}
