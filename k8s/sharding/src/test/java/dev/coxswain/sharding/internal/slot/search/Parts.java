// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for equal values, and for what functions make of them. A state is a few such numbers.
 *
 * <p>Thread rule: any thread. What is computed once is read without a lock: a result is an int that
 * is 0 until it is known, so a late view of it costs a second computation of the same.
 */
final class Parts<T> {

  private static final int FIRST = 1024;

  private final Map<T, Integer> numbers = new HashMap<>();
  private volatile @Nullable Object[] values = new Object[FIRST];

  /** Returns the number of a value. */
  synchronized int number(T value) {
    Integer present = numbers.get(value);
    if (present != null) {
      return present;
    }
    int number = numbers.size();
    @Nullable Object[] all = values;
    if (number == all.length) {
      all = Arrays.copyOf(all, 2 * number);
    }
    all[number] = value;
    values = all; // publishes it
    numbers.put(value, number);
    return number;
  }

  @SuppressWarnings("unchecked") // only values of this type are stored
  T value(int number) {
    @Nullable Object[] all = values;
    Object value = number < all.length ? all[number] : null;
    return (T) (value != null ? value : stored(number));
  }

  private synchronized Object stored(int number) {
    return Objects.requireNonNull(values[number]);
  }

  synchronized int size() {
    return numbers.size();
  }

  /** A function of values that returns an int other than 0, computed once for each value. */
  final class IntMemo {
    private final ToIntFunction<T> function;
    private int[] results = new int[FIRST];

    IntMemo(ToIntFunction<T> function) {
      this.function = function;
    }

    int of(int number) {
      int[] known = results;
      int result = number < known.length ? known[number] : 0;
      return result != 0 ? result : store(number, function.applyAsInt(value(number)));
    }

    private synchronized int store(int number, int result) {
      if (number >= results.length) {
        results = Arrays.copyOf(results, Math.max(2 * results.length, number + 1));
      }
      results[number] = result;
      return result;
    }
  }

  /** A function of values that is computed once for each. */
  final class Memo {
    private final IntMemo next;

    Memo(Function<T, T> function) {
      next = new IntMemo(value -> 1 + number(function.apply(value)));
    }

    int of(int number) {
      return next.of(number) - 1;
    }
  }
}
