// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of controllers with JUnit: {@link dev.coxswain.junit5.CoxswainExtension} gives a test a
 * {@link dev.coxswain.junit5.CoxswainTest}, which runs controllers in virtual time against an
 * embedded API server.
 */
@NullMarked
package dev.coxswain.junit5;

import org.jspecify.annotations.NullMarked;
