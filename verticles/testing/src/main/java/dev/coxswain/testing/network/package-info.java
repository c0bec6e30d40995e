// SPDX-License-Identifier: Apache-2.0
/** The networks and clocks of the replicas, which can be cut and stepped. */
@NullMarked
package dev.coxswain.testing.network;

import org.jspecify.annotations.NullMarked;
