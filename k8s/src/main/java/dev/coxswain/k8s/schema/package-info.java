// SPDX-License-Identifier: Apache-2.0
/**
 * Annotations of resource classes: what a CustomResourceDefinition has and a Java class does not say
 * by itself. The generator in {@code coxswain-authoring} reads them; nothing here is used while a
 * controller runs.
 */
@NullMarked
package dev.coxswain.k8s.schema;

import org.jspecify.annotations.NullMarked;
