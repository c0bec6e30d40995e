// SPDX-License-Identifier: Apache-2.0
/** The times of a Lease. */
@NullMarked
package dev.coxswain.k8s.lease;

import org.jspecify.annotations.NullMarked;
