// SPDX-License-Identifier: Apache-2.0
/** Plans perturbations, runs scenarios with them, and compares their ends with the reference. */
@NullMarked
package dev.coxswain.junit5.internal.search;

import org.jspecify.annotations.NullMarked;
