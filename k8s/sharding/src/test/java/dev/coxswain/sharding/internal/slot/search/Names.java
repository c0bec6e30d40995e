// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import java.util.ArrayList;
import java.util.List;

/**
 * The names of identities in a model: a letter for the replica, and a digit for how many identities
 * of it came later, so {@code a0} is the present one. What is relative to the state needs no
 * normalisation: the present time is always {@link #NOW}, the newest epoch always {@link #EPOCH}.
 */
final class Names {

  /** The present time. */
  static final long NOW = 100;

  /** The epoch of the last owner of each slot. */
  static final long EPOCH = 10;

  /** Epochs at or below it are not told apart. */
  static final long OLDEST = EPOCH - 3;

  /** How many identities of one replica can be named at a time. */
  static final int KEPT = 3;

  private Names() {}

  static String present(int replica) {
    return name(replica, 0);
  }

  static String name(int replica, int age) {
    return (char) ('a' + replica) + Integer.toString(age);
  }

  static int replica(String name) {
    return name.charAt(0) - 'a';
  }

  static int age(String name) {
    return name.charAt(1) - '0';
  }

  static <T> List<T> replaced(List<T> list, int index, T value) {
    List<T> next = new ArrayList<>(list);
    next.set(index, value);
    return List.copyOf(next);
  }

  /** Returns all permutations, the identity first. */
  static List<int[]> permutations(int count) {
    List<int[]> all = new ArrayList<>();
    add(new int[count], 0, 0, all);
    return all;
  }

  private static void add(int[] some, int length, int used, List<int[]> all) {
    if (length == some.length) {
      all.add(some.clone());
    }
    for (int i = 0; i < some.length; i++) {
      if ((used >> i & 1) == 0) {
        some[length] = i;
        add(some, length + 1, used | 1 << i, all);
      }
    }
  }

  static int[] inverse(int[] to) {
    int[] from = new int[to.length];
    for (int i = 0; i < to.length; i++) {
      from[to[i]] = i;
    }
    return from;
  }
}
