// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.io.IOException;
import java.util.Map;

/**
 * One kind of load on the admin API. It can be repeated, with the same queues each time.
 */
interface Part {
  String FIRST_PAGE = "first page of 100";
  String NAMESPACE_PAGE = "page of one namespace";
  String ALL_COUNTS = "counts of all controllers";
  String ONE_COUNTS = "counts of one controller";
  String ALL_CAUSES = "causes of all controllers";
  String ALL_CAUSES_ALONE = "causes of all controllers, one caller";
  String ONE_CAUSES = "causes of one controller";
  String EXPLANATION = "explanation of an item";
  String OBJECT = "one object, all controllers";
  String FLUSH = "flush, stopped in the middle";

  String name();

  /** Prepares what is not measured. */
  default void prepare() throws IOException {}

  /**
   * Goes on until a moment, as {@link System#nanoTime} counts, and returns what was seen of the
   * answers.
   */
  Map<Figure, Double> until(long end) throws IOException;

  /** Puts back what it took, which is not measured, and returns what is known only now. */
  default Map<Figure, Double> restore() throws IOException {
    return Map.of();
  }
}
