// SPDX-License-Identifier: Apache-2.0
/**
 * Tables, as clients print them: the columns of a value are declared in its record, and the texts that
 * depend on the time are computed here.
 *
 * <p>Immutable, any thread. Not promised: may change in any release; the JSON is promised.
 */
@NullMarked
package dev.coxswain.admin.internal.table;

import org.jspecify.annotations.NullMarked;
