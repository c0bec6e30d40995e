// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.selector;

/**
 * A range of unsigned 64-bit hashes; immutable.
 *
 * @param first lowest hash
 * @param last highest hash: one less than the end that a client writes, which may be 2^64
 */
record ShardRange(long first, long last) {
  private static final String PREFIX = "0x";
  private static final int DIGITS = 16;
  private static final String TOP = "0x10000000000000000";

  /** Reads both ends, as in {@code 0x00000000000000ff}; throws when they are malformed or empty. */
  static ShardRange parse(String start, String end) {
    check(start, "hexStart");
    check(end, "hexEnd");
    long last = end.equals(TOP) ? -1 : value(end) - 1;
    boolean rises =
        !start.equals(TOP)
            && (end.equals(TOP) || Long.compareUnsigned(value(start), value(end)) < 0);
    if (!rises) {
      throw ShardSelector.invalid("shard range start " + start + " must be less than end " + end);
    }
    return new ShardRange(value(start), last);
  }

  private static void check(String text, String name) {
    if (!text.startsWith(PREFIX)) {
      throw ShardSelector.invalid(name + " must have '0x' prefix, got \"" + text + "\"");
    }
    String digits = text.substring(PREFIX.length());
    if (digits.isEmpty()) {
      throw ShardSelector.invalid(name + ": hex value is required after '0x'");
    }
    if (!digits.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      throw ShardSelector.invalid(name + ": invalid hex character in \"" + text + "\"");
    }
    if (digits.length() != DIGITS && !text.equals(TOP)) {
      throw ShardSelector.invalid(
          name + " must be a 0x-prefixed 16-digit hex value, got \"" + text + "\"");
    }
  }

  private static long value(String text) {
    return Long.parseUnsignedLong(text, PREFIX.length(), text.length(), 16);
  }

  boolean contains(long hash) {
    return Long.compareUnsigned(first, hash) <= 0 && Long.compareUnsigned(hash, last) <= 0;
  }

  String start() {
    return "0x%016x".formatted(first);
  }

  String end() {
    return last == -1 ? TOP : "0x%016x".formatted(last + 1);
  }
}
