// SPDX-License-Identifier: Apache-2.0
/** Tests of the package of the same name. */
@NullMarked
package dev.coxswain.sharding.internal.replica;

import org.jspecify.annotations.NullMarked;
