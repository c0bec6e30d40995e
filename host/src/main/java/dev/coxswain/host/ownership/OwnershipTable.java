// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.ownership;

import dev.coxswain.controller.ControllerOptions.Ownership;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The controllers that a replica runs or is about to run, with their ownership, as an attribute of
 * its Lease: {@code sharded:a,b;leader!:c}. The exclamation mark means that they run. Parts of other
 * forms are ignored, such as the version of the text.
 *
 * <p>Thread rule: immutable.
 */
record OwnershipTable(SortedMap<String, Claim> claims) {

  /** The maximum length of the text: half of what all annotations of an object may have. */
  static final int MAX_LENGTH = 128 * 1024;

  /** The maximum length of all names, each with a separator. */
  static final int MAX_NAMES = MAX_LENGTH - 128;

  private static final String RUNNING = "!";

  /**
   * One controller.
   *
   * @param running whether it may be running
   */
  record Claim(Ownership ownership, boolean running) {}

  /** Returns whether the text of a table fits into a Lease. */
  static boolean fits(String text) {
    return text.length() <= MAX_LENGTH;
  }

  /** Returns the name of an ownership in the configuration. */
  static String label(Ownership ownership) {
    return ownership.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the text of the attribute; controllers with the same claim are one group. */
  String text() {
    Map<Ownership, List<String>> running = new EnumMap<>(Ownership.class);
    Map<Ownership, List<String>> wanted = new EnumMap<>(Ownership.class);
    claims.forEach((name, claim) ->
        (claim.running() ? running : wanted)
            .computeIfAbsent(claim.ownership(), _ -> new ArrayList<>())
            .add(name));
    List<String> groups = new ArrayList<>();
    wanted.forEach(
        (ownership, names) -> groups.add(label(ownership) + ":" + String.join(",", names)));
    running.forEach((ownership, names) ->
        groups.add(label(ownership) + RUNNING + ":" + String.join(",", names)));
    return String.join(";", groups);
  }

  /** Returns the table of a text; what a later version may have added is left out. */
  static OwnershipTable parse(String text) {
    SortedMap<String, Claim> claims = new TreeMap<>();
    if (fits(text)) {
      for (String group : text.split(";", -1)) {
        int colon = group.indexOf(':');
        if (colon > 0) {
          boolean running = group.substring(0, colon).endsWith(RUNNING);
          String label = group.substring(0, running ? colon - 1 : colon);
          ownership(label)
              .ifPresent(ownership -> {
                for (String name : group.substring(colon + 1).split(",", -1)) {
                  claims.put(name, new Claim(ownership, running));
                }
              });
        }
      }
    }
    return new OwnershipTable(claims);
  }

  private static Optional<Ownership> ownership(String label) {
    for (Ownership one : Ownership.values()) {
      if (label(one).equals(label)) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }
}
