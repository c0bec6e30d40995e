// SPDX-License-Identifier: Apache-2.0
/**
 * The read model of a controller: immutable values that describe its queue, its items, its
 * conditions and its end. Metrics, the admin API and tests use them; none of them gives access to
 * live state.
 */
@NullMarked
package dev.coxswain.view;

import org.jspecify.annotations.NullMarked;
