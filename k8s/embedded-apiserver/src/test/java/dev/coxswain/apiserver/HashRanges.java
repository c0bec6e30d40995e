// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Ranges of hashes as a client writes them, in unbounded numbers; immutable.
 *
 * @param field {@code uid} or {@code namespace}
 * @param ranges first hashes and ends
 */
record HashRanges(String field, List<Range> ranges) {
  private static final BigInteger TOP = BigInteger.ONE.shiftLeft(64);
  private static final BigInteger OFFSET = new BigInteger("cbf29ce484222325", 16);
  private static final BigInteger PRIME = new BigInteger("100000001b3", 16);

  record Range(BigInteger start, BigInteger end) {}

  /** Every hash. */
  static HashRanges all(String field) {
    return new HashRanges(field, List.of(new Range(BigInteger.ZERO, TOP)));
  }

  /** The hash 0, which no value of these tests has. */
  static HashRanges none(String field) {
    return new HashRanges(field, List.of(new Range(BigInteger.ZERO, BigInteger.ONE)));
  }

  /** The hash of one value. */
  static HashRanges of(String field, String value) {
    return new HashRanges(field, List.of(point(hash(value))));
  }

  /** Every hash but that of one value. */
  static HashRanges except(String field, String value) {
    Range point = point(hash(value));
    return new HashRanges(
        field, List.of(new Range(BigInteger.ZERO, point.start()), new Range(point.end(), TOP)));
  }

  /** Every hash, in ranges of one size. */
  static HashRanges even(String field, int count) {
    BigInteger width = TOP.divide(BigInteger.valueOf(count));
    return new HashRanges(
        field,
        IntStream.range(0, count)
            .mapToObj(BigInteger::valueOf)
            .map(i -> new Range(width.multiply(i), width.multiply(i.add(BigInteger.ONE))))
            .toList());
  }

  /** Cuts all hashes at random places and around those of values, and deals the pieces out. */
  static List<HashRanges> shares(
      String field, int count, Collection<String> values, Random random) {
    TreeSet<BigInteger> cuts = new TreeSet<>(List.of(BigInteger.ZERO, TOP));
    IntStream.range(0, 3 * count).forEach(i -> cuts.add(new BigInteger(64, random)));
    for (String value : values) {
      Range point = point(hash(value));
      switch (random.nextInt(4)) {
        case 0 -> cuts.add(point.start());
        case 1 -> cuts.add(point.end());
        case 2 -> cuts.addAll(List.of(point.start(), point.end()));
        default -> {} // its hash lies somewhere in a range
      }
    }
    List<BigInteger> ends = new ArrayList<>(cuts);
    List<Range> pieces = new ArrayList<>();
    for (int i = 1; i < ends.size(); i++) {
      pieces.add(new Range(ends.get(i - 1), ends.get(i)));
    }
    Collections.shuffle(pieces, random);
    List<HashRanges> shares = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int share = i;
      shares.add(
          new HashRanges(
              field,
              IntStream.range(0, pieces.size())
                  .filter(p -> p % count == share)
                  .mapToObj(pieces::get)
                  .toList()));
    }
    return shares;
  }

  private static Range point(BigInteger hash) {
    return new Range(hash, hash.add(BigInteger.ONE));
  }

  /** FNV-1a again. */
  private static BigInteger hash(String text) {
    BigInteger hash = OFFSET;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      hash = hash.xor(BigInteger.valueOf(b & 0xff)).multiply(PRIME).mod(TOP);
    }
    return hash;
  }

  boolean contain(String value) {
    BigInteger hash = hash(value);
    return ranges.stream()
        .anyMatch(r -> r.start().compareTo(hash) <= 0 && hash.compareTo(r.end()) < 0);
  }

  /** The selector. */
  @Override
  public String toString() {
    return String.join(
        " || ",
        ranges.stream()
            .map(r ->
                "shardRange(object.metadata.%s, '0x%016x', '0x%016x')"
                    .formatted(field, r.start(), r.end()))
            .toList());
  }

  /** The selector as a parameter of a query. */
  String parameter() {
    return "shardSelector="
        + URLEncoder.encode(toString(), StandardCharsets.UTF_8).replace("+", "%20");
  }
}
