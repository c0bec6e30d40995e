// SPDX-License-Identifier: Apache-2.0
/** Why an object was not reconciled, and what an operator does about it, with three real replicas. */
@NullMarked
package dev.coxswain.host.e2e.explain;

import org.jspecify.annotations.NullMarked;
