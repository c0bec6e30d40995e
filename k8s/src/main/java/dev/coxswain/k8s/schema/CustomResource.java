// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.schema;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a CustomResourceDefinition has beside {@link
 * dev.coxswain.k8s.resource.KubernetesResource} and the schema. Optional; a class without it gets the
 * defaults.
 *
 * <p>A class with a field {@code status} has the status subresource. Two classes of the same group
 * and plural are two versions of one kind.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface CustomResource {

  /** Returns the singular; empty for the kind in lower case. */
  String singular() default "";

  /** Returns the short names, such as {@code ct}. */
  String[] shortNames() default {};

  /** Returns the categories, such as {@code all}. */
  String[] categories() default {};

  /** Returns the columns of {@code kubectl get}; none for the age alone. */
  PrinterColumn[] columns() default {};

  /** Returns whether the server offers this version. */
  boolean served() default true;

  /** Returns whether objects are stored in this version; of several versions exactly one is. */
  boolean stored() default true;

  /**
   * Returns the path of the desired number of replicas, such as {@code .spec.replicas}; empty for no
   * scale subresource.
   */
  String scaleSpec() default "";

  /** Returns the path of the observed number of replicas, such as {@code .status.replicas}. */
  String scaleStatus() default "";

  /** Returns the path of the label selector as a text; empty for none. */
  String scaleSelector() default "";
}
