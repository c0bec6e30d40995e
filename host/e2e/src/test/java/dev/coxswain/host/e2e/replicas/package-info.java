// SPDX-License-Identifier: Apache-2.0
/** Several real replicas that fail, move work and are replaced. */
@NullMarked
package dev.coxswain.host.e2e.replicas;

import org.jspecify.annotations.NullMarked;
