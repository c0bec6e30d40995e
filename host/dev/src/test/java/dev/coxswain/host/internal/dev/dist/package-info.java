// SPDX-License-Identifier: Apache-2.0
/** Tests of what makes the distribution; {@code DistIT} and {@code ImageIT} run it. */
@NullMarked
package dev.coxswain.host.internal.dev.dist;

import org.jspecify.annotations.NullMarked;
