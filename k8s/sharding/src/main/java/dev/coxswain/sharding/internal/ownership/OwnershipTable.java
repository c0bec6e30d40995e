// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import dev.coxswain.controller.ControllerOptions.Ownership;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The controllers that a replica runs or is about to run, with their ownership, as an attribute of
 * its Lease: {@code sharded:a,b;leader!:c;everywhere!88123:d}. The exclamation mark means that they run,
 * and may be followed by their epoch. Parts of other forms are ignored, such as the version of the
 * text.
 *
 * <p>Thread rule: immutable.
 */
record OwnershipTable(SortedMap<String, Claim> claims) {

  /** The maximum length of the text: half of what all annotations of an object may have. */
  static final int MAX_LENGTH = 128 * 1024;

  /** The maximum length of all names, each with a separator. */
  static final int MAX_NAMES = MAX_LENGTH - 128;

  private static final String RUNNING = "!";
  private static final Pattern LABEL = Pattern.compile("([a-z]+)(?:!(\\d{0,18}))?");

  /**
   * One controller.
   *
   * @param running whether it may be running
   * @param epoch the epoch of a running controller that every replica runs, 0 for none
   */
  record Claim(Ownership ownership, boolean running, long epoch) {
    Claim(Ownership ownership, boolean running) {
      this(ownership, running, 0);
    }
  }

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
    Map<String, List<String>> groups = new TreeMap<>();
    claims.forEach(
        (name, claim) -> groups.computeIfAbsent(label(claim), _ -> new ArrayList<>()).add(name));
    return groups.entrySet().stream()
        .map(group -> group.getKey() + ":" + String.join(",", group.getValue()))
        .collect(Collectors.joining(";"));
  }

  private static String label(Claim claim) {
    return label(claim.ownership())
        + (claim.running() ? RUNNING : "")
        + (claim.epoch() > 0 ? claim.epoch() : "");
  }

  /** Returns the table of a text; what a later version may have added is left out. */
  static OwnershipTable parse(String text) {
    SortedMap<String, Claim> claims = new TreeMap<>();
    if (fits(text)) {
      for (String group : text.split(";", -1)) {
        int colon = group.indexOf(':');
        Matcher label = LABEL.matcher(group.substring(0, Math.max(0, colon)));
        if (label.matches()) {
          boolean running = label.group(2) != null;
          long epoch = running && !label.group(2).isEmpty() ? Long.parseLong(label.group(2)) : 0;
          ownership(label.group(1))
              .ifPresent(ownership -> {
                for (String name : group.substring(colon + 1).split(",", -1)) {
                  claims.put(name, new Claim(ownership, running, epoch));
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
