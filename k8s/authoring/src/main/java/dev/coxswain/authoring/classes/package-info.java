// SPDX-License-Identifier: Apache-2.0
/**
 * Java classes from CustomResourceDefinitions, for authors who begin with the definition. Called by
 * {@code coxswain crd classes}, on any thread.
 */
@NullMarked
package dev.coxswain.authoring.classes;

import org.jspecify.annotations.NullMarked;
