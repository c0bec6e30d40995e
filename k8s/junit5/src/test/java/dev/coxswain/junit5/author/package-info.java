// SPDX-License-Identifier: Apache-2.0
/**
 * Controllers and a test as an author has them in a project of their own: they use nothing but the public
 * API, and a test of the host copies them into such a project.
 */
@NullMarked
package dev.coxswain.junit5.author;

import org.jspecify.annotations.NullMarked;
