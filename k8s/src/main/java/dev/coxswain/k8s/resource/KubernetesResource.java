// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The API resource of a custom class, as in its CustomResourceDefinition. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface KubernetesResource {

  /** Returns the API group, such as {@code demo.coxswain.dev}; empty for the core group. */
  String group();

  /** Returns the version, such as {@code v1}. */
  String version();

  /** Returns the plural that appears in URLs, such as {@code demos}. */
  String plural();

  /** Returns the kind; empty for the simple name of the class. */
  String kind() default "";

  /** Returns whether the resource is namespaced. */
  boolean namespaced() default true;
}
