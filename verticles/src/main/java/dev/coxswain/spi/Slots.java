// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

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

  /** Returns whether attempts may be started now: this replica may act for long enough. */
  boolean mayStart();
}
