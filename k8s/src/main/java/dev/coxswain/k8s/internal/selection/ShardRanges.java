// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.selection;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Ranges of hashes of namespaces, as the parameter {@code shardSelector} of the API server has them. The hash is FNV-1a of 64
 * bits (Fowler, Noll, Vo), an unsigned number.
 *
 * <p>Ranges of its upper bits divide numbered names badly, so each namespace is a point, the range that has its hash alone.
 * Neighbours are joined while no other known namespace is between them, and then where there are the fewest, until the server
 * has no more than a bounded number to compare with.
 *
 * <p>Thread rule: immutable.
 */
public final class ShardRanges {

  /** The most ranges of one selector: 11 KB of text, each of which the server compares with each event. */
  public static final int MOST = 128;

  private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;
  private static final int BYTE = 0xff;

  /** The hash of no namespace: no object of a resource that has namespaces is there. */
  private static final Range NOTHING = new Range(OFFSET_BASIS, OFFSET_BASIS);

  private final List<Range> ranges;

  /** Both bounds belong to it; unsigned. */
  private record Range(long first, long last) {

    boolean has(long hash) {
      return Long.compareUnsigned(first, hash) <= 0 && Long.compareUnsigned(hash, last) <= 0;
    }

    /** The end does not belong to the range, and one past the greatest hash has one digit more. */
    @Override
    public String toString() {
      String end = last == -1 ? "0x10000000000000000" : "0x%016x".formatted(last + 1);
      return "shardRange(object.metadata.namespace, '0x%016x', '%s')".formatted(first, end);
    }
  }

  /** The namespaces between two neighbours that are wanted. */
  private record Gap(int after, int foreign) {}

  private ShardRanges(List<Range> ranges) {
    this.ranges = ranges;
  }

  /**
   * Returns ranges that have all of some namespaces.
   *
   * @param wanted the namespaces
   * @param others what else is known, which is better left out
   */
  public static ShardRanges of(Collection<String> wanted, Collection<String> others) {
    return of(wanted, others, MOST);
  }

  static ShardRanges of(Collection<String> wanted, Collection<String> others, int most) {
    if (wanted.isEmpty()) {
      return new ShardRanges(List.of(NOTHING));
    }
    long[] points = hashes(wanted);
    long[] foreign = hashes(others);
    List<Gap> gaps = new ArrayList<>();
    for (int i = 0; i + 1 < points.length; i++) {
      int between = upTo(foreign, points[i + 1]) - upTo(foreign, points[i]);
      if (between > 0) {
        gaps.add(new Gap(i, between));
      }
    }
    gaps.sort(Comparator.comparingInt(Gap::foreign).reversed());
    int[] ends = gaps.stream().limit(Math.max(0, most - 1)).mapToInt(Gap::after).sorted().toArray();
    List<Range> ranges = new ArrayList<>();
    int begin = 0;
    for (int end : ends) {
      ranges.add(new Range(points[begin], points[end]));
      begin = end + 1;
    }
    ranges.add(new Range(points[begin], points[points.length - 1]));
    return new ShardRanges(List.copyOf(ranges));
  }

  /** Returns hashes in unsigned order. */
  private static long[] hashes(Collection<String> names) {
    long[] signed = names.stream().mapToLong(name -> hash(name) ^ Long.MIN_VALUE).toArray();
    Arrays.sort(signed);
    return Arrays.stream(signed).map(hash -> hash ^ Long.MIN_VALUE).toArray();
  }

  /** Returns how many hashes are not greater than one. */
  private static int upTo(long[] sorted, long hash) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(sorted[middle], hash) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  static long hash(String namespace) {
    long hash = OFFSET_BASIS;
    for (byte b : namespace.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & BYTE)) * PRIME;
    }
    return hash;
  }

  /** Returns whether the objects of a namespace are selected. */
  public boolean has(String namespace) {
    long hash = hash(namespace);
    return ranges.stream().anyMatch(range -> range.has(hash));
  }

  /** Returns how many ranges there are. */
  public int size() {
    return ranges.size();
  }

  /** Returns the value of the parameter. */
  @Override
  public String toString() {
    return ranges.stream().map(Range::toString).collect(Collectors.joining(" || "));
  }
}
