// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the API server validates and fills in of a field, beside its type. On a class it is for each
 * field of that class; of it only {@link #description} and {@link #rules} apply then.
 *
 * <pre>{@code
 * record Spec(
 *     @Schema(required = true, pattern = "[a-z]+") String name,
 *     @Schema(minimum = 1, maximum = 100, defaultValue = "3") int replicas) {}
 * }</pre>
 *
 * <p>The types of fields need no annotation: texts, numbers, booleans, enums, times, lists, maps with
 * texts as keys, records, other classes, and the models of the official client.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Schema {

  /** Returns the description that {@code kubectl explain} prints; empty for none. */
  String description() default "";

  /** Returns whether the field must be present. */
  boolean required() default false;

  /** Returns whether the field may be {@code null} when it is written. */
  boolean nullable() default false;

  /**
   * Returns the value that the server fills in for a missing field: a text as it is, another type as
   * JSON, such as {@code 3} or <code>["a"]</code>; empty for none.
   */
  String defaultValue() default "";

  /** Returns the least number; not a number for no bound. */
  double minimum() default Double.NaN;

  /** Returns the greatest number; not a number for no bound. */
  double maximum() default Double.NaN;

  /** Returns the regular expression (RE2) that must be found in a text; empty for none. */
  String pattern() default "";

  /** Returns the format of a text, such as {@code duration}; empty for that of the type. */
  String format() default "";

  /** Returns the allowed texts; empty for all, or for the constants of an enum. */
  String[] allowed() default {};

  /** Returns the least length of a text, list or map; negative for no bound. */
  long minLength() default -1;

  /** Returns the greatest length of a text, list or map; negative for no bound. */
  long maxLength() default -1;

  /**
   * Returns the keys by which items of a list are merged ({@code x-kubernetes-list-type: map}). They
   * are fields of the items, and required there unless they have a default. Typed changes find the
   * elements of a list by them.
   */
  String[] listMapKeys() default {};

  /** Returns whether the field is any JSON, which the server stores unchecked. */
  boolean anyJson() default false;

  /** Returns the rules that values must pass, in CEL. */
  ValidationRule[] rules() default {};
}
