// SPDX-License-Identifier: Apache-2.0
/**
 * The causes of failures: which failures belong together, and what is counted of each cause.
 *
 * <p>Source: grouping by exception classes, message without variable parts and top frame of the
 * own code is that of error trackers; here it needs no server, and the counts are exact.
 */
@NullMarked
package dev.coxswain.internal.cause;

import org.jspecify.annotations.NullMarked;
