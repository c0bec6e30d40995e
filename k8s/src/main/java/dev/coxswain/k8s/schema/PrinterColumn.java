// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A column of {@code kubectl get}; only within {@link CustomResource#columns}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface PrinterColumn {

  /** Returns the heading. */
  String name();

  /**
   * Returns the path of the value, such as {@code .spec.every}. Of several matches a cluster prints
   * the first.
   */
  String jsonPath();

  /**
   * Returns {@code string}, {@code integer}, {@code number}, {@code boolean} or {@code date}; empty for
   * that of the field at the path.
   */
  String type() default "";

  /** Returns the format, such as {@code int64}; empty for none. */
  String format() default "";

  /** Returns the description; empty for none. */
  String description() default "";

  /** Returns the priority; columns above 0 are printed with {@code -o wide} only. */
  int priority() default 0;
}
