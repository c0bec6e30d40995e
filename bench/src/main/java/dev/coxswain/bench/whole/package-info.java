// SPDX-License-Identifier: Apache-2.0
/**
 * Whole processes beside each other: a host and programs of the peers with the same controllers, each measured from
 * outside against one API server.
 */
@NullMarked
package dev.coxswain.bench.whole;

import org.jspecify.annotations.NullMarked;
