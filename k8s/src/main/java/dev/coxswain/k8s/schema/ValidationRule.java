// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A rule of {@code x-kubernetes-validations}; only within {@link Schema#rules}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface ValidationRule {

  /** Returns the CEL expression, over {@code self} and {@code oldSelf}. */
  String value();

  /** Returns the message of a violation; empty for the expression itself. */
  String message() default "";

  /** Returns a CEL expression that yields the message; empty for none. */
  String messageExpression() default "";

  /** Returns the reason, such as {@code FieldValueForbidden}; empty for {@code FieldValueInvalid}. */
  String reason() default "";

  /** Returns the path of the field that a violation names, such as {@code .every}; empty for none. */
  String fieldPath() default "";
}
