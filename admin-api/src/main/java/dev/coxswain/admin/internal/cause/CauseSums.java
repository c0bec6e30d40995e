// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import java.util.List;

/**
 * All causes of one replica in few bytes, for another replica that chooses those of the most items.
 *
 * @param controllers the controllers that could be read
 * @param unread the others
 */
public record CauseSums(List<OfController> controllers, List<String> unread) {

  public CauseSums {
    controllers = List.copyOf(controllers);
    unread = List.copyOf(unread);
  }

  /**
   * The causes of one controller; the lists have an entry for each.
   *
   * @param items how many items fail of it
   * @param lastSeen the seconds since 1970
   */
  public record OfController(
      String controller, List<String> ids, List<Long> items, List<Long> lastSeen) {

    public OfController {
      ids = List.copyOf(ids);
      items = List.copyOf(items);
      lastSeen = List.copyOf(lastSeen);
    }
  }
}
