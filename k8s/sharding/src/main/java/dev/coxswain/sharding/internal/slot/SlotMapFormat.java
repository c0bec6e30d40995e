// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The text form of a slot map, as the data of a ConfigMap:
 *
 * <table>
 * <caption>Keys</caption>
 * <tr><td>{@code format}</td><td>{@value #FORMAT}</td></tr>
 * <tr><td>{@code function}</td><td>{@link SlotDivision#function}</td></tr>
 * <tr><td>{@code slots}</td><td>the number of slots</td></tr>
 * <tr><td>{@code base}</td><td>{@link SlotMap#base}</td></tr>
 * <tr><td>{@code owners}</td><td>the identities of owners and targets, one a line; the first has
 * index 0</td></tr>
 * <tr><td>{@code table}</td><td>16 slots a line, separated by one space:
 * <code>owner:epoch[>target]</code> with indexes of owners, and {@code -} for the owner of a free
 * slot</td></tr>
 * </table>
 *
 * <p>Other keys are ignored and not kept.
 *
 * <p>Thread rule: any thread.
 */
public final class SlotMapFormat {

  /** The version of the format. */
  public static final String FORMAT = "1";

  /** The maximum length of an identity. */
  public static final int MAX_IDENTITY = 320;

  private static final int SLOTS_PER_LINE = 16;

  /** Far below the maximum of a long, so that increments never overflow. */
  private static final long MAX_EPOCH = 1L << 62;

  private static final Pattern NUMBER = Pattern.compile("0|[1-9]\\d{0,18}");
  private static final Pattern IDENTITY = Pattern.compile("[!-~]{1," + MAX_IDENTITY + "}");

  private SlotMapFormat() {}

  /**
   * Returns whether a text can be the identity of an owner: 1 to 320 printable ASCII characters
   * without spaces.
   */
  public static boolean isIdentity(String text) {
    return IDENTITY.matcher(text).matches();
  }

  /**
   * Returns the data of the ConfigMap.
   *
   * @throws IllegalArgumentException if an owner is not an identity
   */
  public static Map<String, String> encode(SlotMap map) {
    Map<String, Integer> owners = new LinkedHashMap<>();
    StringBuilder table = new StringBuilder();
    for (int slot = 0; slot < map.slots(); slot++) {
      SlotEntry entry = map.entry(slot);
      table.append(entry.isFree() ? "-" : index(owners, entry.owner())).append(':');
      table.append(entry.epoch());
      if (entry.isDraining()) {
        table.append('>').append(index(owners, entry.target()));
      }
      boolean last = slot % SLOTS_PER_LINE == SLOTS_PER_LINE - 1 || slot == map.slots() - 1;
      table.append(last ? '\n' : ' ');
    }
    Map<String, String> data = new TreeMap<>();
    data.put("format", FORMAT);
    data.put("function", map.division().function());
    data.put("slots", Integer.toString(map.slots()));
    data.put("base", Long.toString(map.base()));
    data.put("owners", owners.isEmpty() ? "" : String.join("\n", owners.keySet()) + "\n");
    data.put("table", table.toString());
    return data;
  }

  private static String index(Map<String, Integer> owners, String identity) {
    if (!isIdentity(identity)) {
      throw new IllegalArgumentException("not the identity of a replica: \"" + identity + "\"");
    }
    owners.putIfAbsent(identity, owners.size());
    return String.valueOf(owners.get(identity));
  }

  /**
   * Returns the map of the data of a ConfigMap.
   *
   * @throws SlotMapException if the data are not a map of this format and function
   */
  public static SlotMap decode(Map<String, String> data) throws SlotMapException {
    supported(data, "format", FORMAT);
    SlotDivision division = division(value(data, "function"));
    long slots = number("slots", value(data, "slots"), SlotFunction.MAX_SLOTS);
    if (!SlotFunction.isValid((int) slots)) {
      throw new SlotMapException(
          "slots must be a power of two up to " + SlotFunction.MAX_SLOTS + ": " + slots);
    }
    long base = number("base", value(data, "base"), MAX_EPOCH);
    List<String> owners = owners(value(data, "owners"));
    List<String> lines = lines(value(data, "table"), (int) slots / SLOTS_PER_LINE + 2);
    int perLine = (int) Math.min(SLOTS_PER_LINE, slots);
    if (lines.size() != slots / perLine) {
      throw new SlotMapException(
          "table must have " + slots / perLine + " lines for " + slots + " slots");
    }
    List<SlotEntry> entries = new ArrayList<>();
    for (int line = 0; line < lines.size(); line++) {
      String[] row = lines.get(line).split(" ", SLOTS_PER_LINE + 1);
      if (row.length != perLine) {
        throw new SlotMapException(
            "table line " + (line + 1) + " must have " + perLine + " entries");
      }
      for (String text : row) {
        entries.add(entry("slot " + entries.size(), text, owners, base));
      }
    }
    return new SlotMap(division, base, entries);
  }

  private static SlotEntry entry(String where, String text, List<String> owners, long base)
      throws SlotMapException {
    int colon = text.indexOf(':');
    int arrow = text.indexOf('>');
    if (colon < 0 || (arrow >= 0 && arrow < colon)) {
      throw new SlotMapException(where + " must be owner:epoch[>target]: " + quoted(text));
    }
    String owner = text.substring(0, colon);
    String epochText = text.substring(colon + 1, arrow < 0 ? text.length() : arrow);
    long epoch = number("the epoch of " + where, epochText, MAX_EPOCH);
    if (epoch < base) {
      throw new SlotMapException("the epoch of " + where + " is below the base " + base);
    }
    if (owner.equals("-")) {
      if (arrow >= 0) {
        throw new SlotMapException(where + " is free and cannot be draining");
      }
      return SlotEntry.free(epoch);
    }
    String from = owner(where, owner, owners);
    if (arrow < 0) {
      return SlotEntry.owned(from, epoch);
    }
    String target = owner(where, text.substring(arrow + 1), owners);
    if (target.equals(from)) {
      throw new SlotMapException(where + " is draining to its own owner");
    }
    return new SlotEntry(from, epoch, target);
  }

  private static String owner(String where, String index, List<String> owners)
      throws SlotMapException {
    long number = number("an owner of " + where, index, SlotFunction.MAX_SLOTS * 2L);
    if (number >= owners.size()) {
      throw new SlotMapException(
          where + " has owner " + number + ", and there are " + owners.size() + " owners");
    }
    return owners.get((int) number);
  }

  private static List<String> owners(String text) throws SlotMapException {
    Set<String> owners = new LinkedHashSet<>();
    for (String line : lines(text, SlotFunction.MAX_SLOTS * 2)) {
      if (!isIdentity(line)) {
        throw new SlotMapException(
            "owners line " + (owners.size() + 1) + " is not an identity: " + quoted(line));
      }
      if (!owners.add(line)) {
        throw new SlotMapException("owners contains " + quoted(line) + " twice");
      }
    }
    return List.copyOf(owners);
  }

  /** Returns the lines of a text; the last one may end with a line feed. */
  private static List<String> lines(String text, int max) throws SlotMapException {
    if (text.isEmpty()) {
      return List.of();
    }
    String body = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    String[] lines = body.split("\n", max + 1);
    if (lines.length > max) {
      throw new SlotMapException("more than " + max + " lines");
    }
    return List.of(lines);
  }

  private static SlotDivision division(String function) throws SlotMapException {
    Optional<SlotDivision> known = SlotDivision.ofFunction(function);
    if (known.isEmpty()) {
      throw unsupported(
          "function", function, SlotFunction.NAME + ", " + SlotFunction.NAME_BY_NAMESPACE);
    }
    return known.get();
  }

  private static void supported(Map<String, String> data, String key, String expected)
      throws SlotMapException {
    String found = value(data, key);
    if (!found.equals(expected)) {
      throw unsupported(key, found, expected);
    }
  }

  private static SlotMapException unsupported(String key, String found, String expected) {
    return new SlotMapException(
        key + " " + quoted(found) + " is not supported; this version supports " + expected);
  }

  private static String value(Map<String, String> data, String key) throws SlotMapException {
    String value = data.get(key);
    if (value == null) {
      throw new SlotMapException("key " + key + " is missing");
    }
    return value;
  }

  private static long number(String what, String text, long max) throws SlotMapException {
    if (!NUMBER.matcher(text).matches() || (text.length() > 18 && parsedTooLarge(text))) {
      throw new SlotMapException(what + " must be a number from 0: " + quoted(text));
    }
    long number = Long.parseLong(text);
    if (number > max) {
      throw new SlotMapException(what + " must be at most " + max + ": " + number);
    }
    return number;
  }

  /** Whether a number of 19 digits exceeds a long. */
  private static boolean parsedTooLarge(String text) {
    return text.compareTo(Long.toString(Long.MAX_VALUE)) > 0;
  }

  private static String quoted(String text) {
    return '"' + (text.length() <= 60 ? text : text.substring(0, 60) + "...") + '"';
  }
}
