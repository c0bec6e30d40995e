// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.DOUBLE;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.coxswain.apiserver.internal.cel.OpaqueTypes.QUANTITY;

import dev.coxswain.apiserver.internal.status.Quantities;
import java.math.BigDecimal;
import java.util.List;

/** Quantities such as {@code 500m} and {@code 2Gi}; any thread. */
final class QuantityLibrary {
  private static final BigDecimal LEAST = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

  /** A quantity; equal to others of the same size however they are written. */
  record Quantity(BigDecimal number) {
    private static Quantity of(Object text) {
      BigDecimal number = Quantities.value((String) text);
      if (number == null) {
        throw new IllegalArgumentException(Quantities.MALFORMED);
      }
      return new Quantity(number);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Quantity q && number.compareTo(q.number) == 0;
    }

    @Override
    public int hashCode() {
      return number.stripTrailingZeros().hashCode();
    }

    private boolean whole() {
      return number.stripTrailingZeros().scale() <= 0
          && number.compareTo(LEAST) >= 0
          && number.compareTo(MOST) <= 0;
    }
  }

  private QuantityLibrary() {}

  static void addTo(CelLibrary library) {
    library.function("quantity", QUANTITY, List.of(STRING), a -> Quantity.of(a[0]));
    library.function(
        "isQuantity", BOOL, List.of(STRING), a -> Quantities.value((String) a[0]) != null);
    library.method("isInteger", BOOL, List.of(QUANTITY), a -> ((Quantity) a[0]).whole());
    library.method("asInteger", INT, List.of(QUANTITY), a -> integer((Quantity) a[0]));
    library.method(
        "asApproximateFloat", DOUBLE, List.of(QUANTITY), a -> number(a[0]).doubleValue());
    library.method(
        "compareTo",
        INT,
        List.of(QUANTITY, QUANTITY),
        a -> (long) number(a[0]).compareTo(number(a[1])));
    library.method(
        "isGreaterThan",
        BOOL,
        List.of(QUANTITY, QUANTITY),
        a -> number(a[0]).compareTo(number(a[1])) > 0);
    library.method(
        "isLessThan",
        BOOL,
        List.of(QUANTITY, QUANTITY),
        a -> number(a[0]).compareTo(number(a[1])) < 0);
    for (var other : List.of(QUANTITY, INT)) {
      library.method(
          "add",
          QUANTITY,
          List.of(QUANTITY, other),
          a -> new Quantity(number(a[0]).add(number(a[1]))));
      library.method(
          "sub",
          QUANTITY,
          List.of(QUANTITY, other),
          a -> new Quantity(number(a[0]).subtract(number(a[1]))));
    }
  }

  private static long integer(Quantity quantity) {
    if (!quantity.whole()) {
      throw new IllegalArgumentException("cannot convert value to integer");
    }
    return quantity.number.longValue();
  }

  private static BigDecimal number(Object value) {
    return value instanceof Quantity q ? q.number : BigDecimal.valueOf((Long) value);
  }
}
