// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import java.util.Arrays;

/**
 * All states in the order in which they were reached, each a few numbers, with the way there.
 *
 * <p>Thread rule: any thread. States are divided by their hash, so that threads seldom wait.
 */
final class StateTable {

  private static final int BITS = 6;

  /** The number of divisions. */
  static final int DIVISIONS = 1 << BITS;

  private final int width;
  private final Division[] divisions = new Division[DIVISIONS];

  StateTable(int width) {
    this.width = width;
    for (int i = 0; i < DIVISIONS; i++) {
      divisions[i] = new Division(width);
    }
  }

  int size() {
    int size = 0;
    for (int division = 0; division < DIVISIONS; division++) {
      size += size(division);
    }
    return size;
  }

  /** Returns how many states a division has. */
  int size(int division) {
    return divisions[division].size();
  }

  /** Returns a state of a division, by its place there. */
  static int state(int division, int place) {
    return place << BITS | division;
  }

  /** Copies a state. */
  void get(int state, int[] to) {
    divisions[state & DIVISIONS - 1].get(state >>> BITS, to, width);
  }

  int parent(int state) {
    return divisions[state & DIVISIONS - 1].parent(state >>> BITS);
  }

  /** Adds a state; returns whether it is new. */
  boolean add(int[] state, int parent) {
    int hash = hash(state);
    return divisions[hash & DIVISIONS - 1].add(state, hash >>> BITS, parent);
  }

  private static int hash(int[] state) {
    int hash = 1;
    for (int number : state) {
      hash = (hash ^ number) * 0x9E3779B1;
      hash ^= hash >>> 15;
    }
    hash *= 0x85EBCA6B;
    return hash ^ hash >>> 13;
  }

  /** A part of the states. */
  private static final class Division {
    private final int width;
    private int[] numbers;
    private int[] parents = new int[16];
    private int[] table = new int[64];
    private int size;

    Division(int width) {
      this.width = width;
      this.numbers = new int[parents.length * width];
      Arrays.fill(table, -1);
    }

    synchronized int size() {
      return size;
    }

    synchronized void get(int place, int[] to, int length) {
      System.arraycopy(numbers, place * length, to, 0, length);
    }

    synchronized int parent(int place) {
      return parents[place];
    }

    synchronized boolean add(int[] state, int hash, int parent) {
      int at = find(state, hash);
      if (table[at] >= 0) {
        return false;
      }
      if (size == parents.length) {
        int more = size + (size >> 1);
        parents = Arrays.copyOf(parents, more);
        numbers = Arrays.copyOf(numbers, more * width);
      }
      System.arraycopy(state, 0, numbers, size * width, width);
      parents[size] = parent;
      table[at] = size++;
      if (3 * size >= 2 * table.length) {
        grow();
      }
      return true;
    }

    private int find(int[] state, int hash) {
      int at = hash & table.length - 1;
      while (table[at] >= 0 && !equal(table[at], state)) {
        at = at + 1 & table.length - 1;
      }
      return at;
    }

    private boolean equal(int place, int[] state) {
      for (int i = 0; i < width; i++) {
        if (numbers[place * width + i] != state[i]) {
          return false;
        }
      }
      return true;
    }

    private void grow() {
      table = new int[2 * table.length];
      Arrays.fill(table, -1);
      int[] state = new int[width];
      for (int place = 0; place < size; place++) {
        get(place, state, width);
        table[find(state, hash(state) >>> BITS)] = place;
      }
    }
  }
}
