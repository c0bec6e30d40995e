// SPDX-License-Identifier: Apache-2.0
/**
 * CustomResourceDefinitions from Java classes, and the differences between a class and a file. Called
 * by {@code coxswain crd} and by tests of authors, on any thread.
 */
@NullMarked
package dev.coxswain.authoring.crd;

import org.jspecify.annotations.NullMarked;
