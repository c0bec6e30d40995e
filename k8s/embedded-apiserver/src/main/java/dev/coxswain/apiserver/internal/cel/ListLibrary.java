// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.BYTES;
import static dev.cel.common.types.SimpleType.DOUBLE;
import static dev.cel.common.types.SimpleType.DURATION;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.cel.common.types.SimpleType.TIMESTAMP;
import static dev.cel.common.types.SimpleType.UINT;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.TypeParamType;
import dev.cel.common.values.CelByteString;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** Lists: order, sums and positions; any thread. */
final class ListLibrary {
  private ListLibrary() {}

  static void addTo(CelLibrary library) {
    for (CelType item : List.of(INT, UINT, DOUBLE, BOOL, STRING, BYTES, DURATION, TIMESTAMP)) {
      List<CelType> list = List.of(ListType.create(item));
      library.method("isSorted", BOOL, list, a -> sorted(items(a)));
      library.method("min", item, list, a -> end(items(a), "min", ListLibrary::compare));
      library.method("max", item, list, a -> end(items(a), "max", (x, y) -> compare(y, x)));
    }
    sum(library, INT, 0L);
    sum(library, UINT, UnsignedLong.ZERO);
    sum(library, DOUBLE, 0.0);
    sum(library, DURATION, Duration.ZERO);
    CelType any = TypeParamType.create("T");
    List<CelType> search = List.of(ListType.create(any), any);
    library.method("indexOf", INT, search, a -> (long) items(a).indexOf(a[1]));
    library.method("lastIndexOf", INT, search, a -> (long) items(a).lastIndexOf(a[1]));
    library.method(
        "unwrapOpt",
        ListType.create(any),
        List.of(ListType.create(OptionalType.create(any))),
        a -> items(a).stream().flatMap(item -> ((Optional<?>) item).stream()).toList());
    library.function(
        "lists.range",
        ListType.create(INT),
        List.of(INT),
        a -> {
          CelBudget.size((Long) a[0]);
          return LongStream.range(0, (Long) a[0]).boxed().toList();
        });
  }

  private static void sum(CelLibrary library, CelType item, Object zero) {
    library.method(
        "sum",
        item,
        List.of(ListType.create(item)),
        a -> {
          Object sum = zero;
          for (Object value : items(a)) {
            sum = plus(sum, value);
          }
          return sum;
        });
  }

  private static Object plus(Object sum, Object value) {
    try {
      return switch (sum) {
        case Long n -> Math.addExact(n, (Long) value);
        case Double d -> d + (Double) value;
        case UnsignedLong u -> u.plus((UnsignedLong) value);
        default -> ((Duration) sum).plus((Duration) value);
      };
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("integer overflow", e);
    }
  }

  @SuppressWarnings("unchecked") // the binding says that it is a list
  private static List<Object> items(Object[] arguments) {
    return (List<Object>) arguments[0];
  }

  private static boolean sorted(List<Object> items) {
    for (int i = 1; i < items.size(); i++) {
      if (compare(items.get(i - 1), items.get(i)) > 0) {
        return false;
      }
    }
    return true;
  }

  private static Object end(List<Object> items, String name, Comparator<Object> order) {
    if (items.isEmpty()) {
      throw new IllegalArgumentException(name + " called on empty list");
    }
    Object found = items.getFirst();
    for (Object item : items) {
      found = order.compare(item, found) < 0 ? item : found;
    }
    return found;
  }

  @SuppressWarnings("unchecked") // the checked types of items are comparable with themselves
  private static int compare(Object a, Object b) {
    if (a instanceof CelByteString x && b instanceof CelByteString y) {
      return CelByteString.unsignedLexicographicalComparator().compare(x, y);
    }
    if (!a.getClass().equals(b.getClass())) {
      throw new IllegalArgumentException("no such overload");
    }
    return ((Comparable<Object>) a).compareTo(b);
  }
}
